public import Crypto

/// Bytes of a secret that a request presents. Prints as `[redacted]`.
public struct PresentedSecret: Sendable, RedactedPrinting {
    /// The secret itself. Every use of this name is a place where one is handled.
    public let bytes: [UInt8]

    /// The bytes of a secret as they came.
    public init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }
}

/// What a request's `Authorization` presents.
public enum Presented: Sendable {
    /// `Basic` (RFC 7617).
    case basic(username: String, password: PresentedSecret)
    /// `Bearer` (RFC 6750 section 2.1).
    case bearer(PresentedSecret)

    /// Bytes of a field that are looked at: the largest token, and the scheme.
    static let maximumSize = 24_576

    /// Nil if `header` is neither, or broken.
    public init?(header: String) {
        let bytes = Array(header.utf8)
        let blank = UInt8(ascii: " ")
        guard bytes.count <= Self.maximumSize, let space = bytes.firstIndex(of: blank) else { return nil }
        let rest = Array(bytes[space...].drop { $0 == blank })
        guard !rest.isEmpty else { return nil }
        let scheme = bytes[..<space]
        if scheme.isEqualIgnoringCase(to: "bearer") {
            self = .bearer(PresentedSecret(rest))
        } else if scheme.isEqualIgnoringCase(to: "basic") {
            guard let decoded = Base64.decode(rest), String(validating: decoded, as: UTF8.self) != nil,
                let colon = decoded.firstIndex(of: UInt8(ascii: ":"))
            else { return nil }
            self.init(username: Array(decoded[..<colon]), password: Array(decoded[(colon + 1)...]))
        } else {
            return nil
        }
    }

    /// Name and secret from a form. Nil if they are not UTF-8, or if the name holds a NUL, which separates name and
    /// secret in ``digestInput``.
    init?(username: [UInt8], password: [UInt8]) {
        guard !username.contains(0), let name = String(validating: username, as: UTF8.self),
            String(validating: password, as: UTF8.self) != nil
        else { return nil }
        self = .basic(username: name, password: PresentedSecret(password))
    }

    /// The name that is tried; nil for a Bearer token.
    public var username: String? {
        if case .basic(let username, _) = self { username } else { nil }
    }

    /// What is to be checked: the password of Basic, or the token of Bearer.
    public var secret: PresentedSecret {
        switch self {
        case .basic(_, let password): password
        case .bearer(let token): token
        }
    }

    /// One text for the whole, so that one digest stands for name and secret together.
    var digestInput: [UInt8] {
        switch self {
        case .basic(let username, let password): [1] + Array(username.utf8) + [0] + password.bytes
        case .bearer(let token): [2] + token.bytes
        }
    }
}

extension ArraySlice<UInt8> {
    /// - Parameter scheme: in lower case.
    fileprivate func isEqualIgnoringCase(to scheme: String) -> Bool {
        count == scheme.utf8.count && zip(self, scheme.utf8).allSatisfy { $0 | 0x20 == $1 }
    }
}
