import Crypto
import Sensitive

/// What a request's `Authorization` presents.
enum Presented {
    /// `Basic` (RFC 7617).
    case basic(username: String, password: SensitiveText)
    /// `Bearer` (RFC 6750 section 2.1).
    case bearer(SensitiveText)

    /// Nil if `header` is neither, or broken.
    init?(header: String) {
        let blank = UInt8(ascii: " ")
        guard let space = header.utf8.firstIndex(of: blank) else { return nil }
        let scheme = header[..<space].lowercased()
        let rest = Substring(header.utf8[space...].drop { $0 == blank })
        guard !rest.isEmpty else { return nil }
        switch scheme {
        case "basic":
            guard let bytes = Base64.decode(rest), let text = String(validating: bytes, as: UTF8.self),
                let colon = text.utf8.firstIndex(of: UInt8(ascii: ":"))
            else { return nil }
            let password = SensitiveText(String(text[text.utf8.index(after: colon)...]))
            self = .basic(username: String(text[..<colon]), password: password)
        case "bearer": self = .bearer(SensitiveText(String(rest)))
        default: return nil
        }
    }

    /// One text for the whole, so that one digest stands for user and password together. A user holds no NUL.
    var bytes: [UInt8] {
        switch self {
        case .basic(let username, let password): [1] + Array(username.utf8) + [0] + Array(password.exposed.utf8)
        case .bearer(let token): [2] + Array(token.exposed.utf8)
        }
    }
}
