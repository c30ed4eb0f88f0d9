/// A tenant of a remote VGS vault and the host that stands for it (docs/reference/proxy.md section 4).
public struct Tenant: Sendable, Hashable {
    /// As the vault's owner has named it.
    public let id: String
    /// `sandbox`, `live-eu-1`: the environment with the region, as it stands in the host.
    public let environment: String

    /// - Parameters:
    ///   - id: checked with `isValidID`.
    ///   - environment: checked with `isValidEnvironment`.
    public init(id: String, environment: String) {
        self.id = id
        self.environment = environment
    }

    /// A host for one route of the tenant must fit a label of 63 characters with its 36 of route id.
    static let idLimitWithRoute = 26

    static func isValidID(_ id: String) -> Bool {
        (1...63).contains(id.utf8.count) && isAlphanumeric(id[...])
    }

    /// `sandbox` or `live`, with groups of letters and digits after single hyphens.
    static func isValidEnvironment(_ text: String) -> Bool {
        let groups = text.split(separator: "-", omittingEmptySubsequences: false)
        return (groups.first == "sandbox" || groups.first == "live") && groups.allSatisfy(isAlphanumeric)
            && text.utf8.count <= 63
    }

    static func isValidRegion(_ text: String) -> Bool {
        text.split(separator: "-", omittingEmptySubsequences: false).allSatisfy(isAlphanumeric) && text.utf8.count <= 55
    }

    private static func isAlphanumeric(_ text: Substring) -> Bool {
        !text.isEmpty && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
    }

    /// The base URL, nil if the tenant's id leaves no room for a route id.
    public func base(routeID: RouteID?) -> BaseURL? {
        guard routeID == nil || id.utf8.count <= Self.idLimitWithRoute else { return nil }
        let label = routeID.map { "\(id)-\($0.text)" } ?? id
        return BaseURL(isSecure: true, host: "\(label).\(environment).verygoodproxy.com", port: 443, path: "/")
    }
}

/// A route id of a VGS tenant: a UUID with its hyphens, of either case, used as given.
public struct RouteID: Sendable, Hashable {
    /// As given.
    public let text: String

    /// Nil if `text` is not 8-4-4-4-12 hexadecimal digits.
    public init?(_ text: String) {
        guard text.utf8.count == 36 else { return nil }
        for (index, character) in text.enumerated() {
            switch index {
            case 8, 13, 18, 23: guard character == "-" else { return nil }
            default: guard character.isASCII, character.isHexDigit else { return nil }
            }
        }
        self.text = text
    }
}
