import HTTPWire

/// What a path names.
enum Endpoint {
    case formList
    case form(id: String)
    case validate(form: String)
    case aliases(form: String)
    case tokens(form: String)
    /// `path` as it stands in the target, still encoded.
    case send(form: String, path: Substring)
    case vaultAliases
    case vaultAlias(String)
    case vaultDeletion
    case vaultTokens
    case unknown(Plane)

    /// Whose rules of answering apply.
    enum Plane {
        case client
        case vault
    }

    /// Matches a path by its segments; names in it are percent-decoded once.
    init(path: String, method: Method) {
        if let rest = path.after("/v1/forms") {
            self = Self.form(rest)
        } else if let rest = path.after("/aliases") {
            self = Self.vault(rest, method: method)
        } else if path == "/tokens" {
            self = .vaultTokens
        } else {
            self = .unknown(.client)
        }
    }

    private static func form(_ rest: Substring) -> Endpoint {
        if rest.isEmpty { return .formList }
        let id = rest.dropFirst()
        guard let slash = id.utf8.firstIndex(of: UInt8(ascii: "/")) else {
            return id.decoded.map { .form(id: $0) } ?? .unknown(.client)
        }
        guard let form = id[..<slash].decoded else { return .unknown(.client) }
        let call = id[id.utf8.index(after: slash)...]
        switch call {
        case "validate": return .validate(form: form)
        case "aliases": return .aliases(form: form)
        case "tokens": return .tokens(form: form)
        default: break
        }
        guard call.hasPrefix("send") else { return .unknown(.client) }
        let path = call.dropFirst(4)
        guard path.isEmpty || path.utf8.first == UInt8(ascii: "/") else { return .unknown(.client) }
        return .send(form: form, path: path)
    }

    private static func vault(_ rest: Substring, method: Method) -> Endpoint {
        if rest.isEmpty { return .vaultAliases }
        let name = rest.dropFirst()
        // The one name that is not an alias, but only for POST.
        if name == "delete", method == .post { return .vaultDeletion }
        guard !name.isEmpty, !name.utf8.contains(UInt8(ascii: "/")), let alias = name.decoded else {
            return .unknown(.vault)
        }
        return .vaultAlias(alias)
    }

    var plane: Plane {
        switch self {
        case .vaultAliases, .vaultAlias, .vaultDeletion, .vaultTokens, .unknown(.vault): .vault
        default: .client
        }
    }

    /// What kind of call this is, for logs and metrics.
    var kind: EndpointKind {
        switch self {
        case .formList: .formList
        case .form: .form
        case .validate: .validate
        case .aliases: .aliases
        case .tokens: .tokens
        case .send: .send
        case .vaultAliases: .vaultAliases
        case .vaultAlias: .vaultAlias
        case .vaultDeletion: .vaultDeletion
        case .vaultTokens: .vaultTokens
        case .unknown: .unknown
        }
    }
}

/// The kinds of calls, each with the pattern that stands for it in logs and metrics: a path itself may hold what somebody
/// submitted.
enum EndpointKind: String, CaseIterable {
    case formList = "/v1/forms"
    case form = "/v1/forms/{form}"
    case validate = "/v1/forms/{form}/validate"
    case aliases = "/v1/forms/{form}/aliases"
    case tokens = "/v1/forms/{form}/tokens"
    case send = "/v1/forms/{form}/send/{path}"
    case vaultAliases = "/aliases"
    case vaultAlias = "/aliases/{alias}"
    case vaultDeletion = "/aliases/delete"
    case vaultTokens = "/tokens"
    case unknown = "-"

    /// Where this kind stands among all, for tables of counters.
    var index: Int {
        switch self {
        case .formList: 0
        case .form: 1
        case .validate: 2
        case .aliases: 3
        case .tokens: 4
        case .send: 5
        case .vaultAliases: 6
        case .vaultAlias: 7
        case .vaultDeletion: 8
        case .vaultTokens: 9
        case .unknown: 10
        }
    }
}

extension String {
    /// What follows `prefix`: nothing, or a slash and more; nil if this is another path.
    fileprivate func after(_ prefix: StaticString) -> Substring? {
        let length = prefix.utf8CodeUnitCount
        // Sound: a static string's bytes live as long as the program.
        let bytes = UnsafeBufferPointer(start: prefix.utf8Start, count: length)
        guard utf8.count >= length, utf8.starts(with: bytes) else { return nil }
        let rest = self[utf8.index(startIndex, offsetBy: length)...]
        return rest.isEmpty || rest.utf8.first == UInt8(ascii: "/") ? rest : nil
    }
}

extension Substring {
    /// One segment of a path, percent-decoded once; nil if it is not encoded text.
    fileprivate var decoded: String? {
        if !utf8.contains(UInt8(ascii: "%")) { return String(self) }
        return try? PercentEncoding.decode(self)
    }
}
