import Configuration
import Crypto

/// Where an alias may stand in a header: it is the whole value, a `Bearer` token (RFC 6750 section 2.1), or the user or the
/// password of `Basic` (RFC 7617 section 2).
enum HeaderAliases {
    case whole(String)
    /// The scheme with the blanks behind it, as written.
    case bearer(scheme: Substring, token: String)
    case basic(scheme: Substring, user: String, password: String)

    init(_ value: String) {
        let bytes = value.utf8
        let blank = bytes.firstIndex(of: UInt8(ascii: " "))
        let token = bytes[(blank ?? bytes.endIndex)...].firstIndex { $0 != UInt8(ascii: " ") } ?? bytes.endIndex
        let scheme = value[..<token]
        let rest = value[scheme.endIndex...]
        switch blank.map({ value[..<$0].lowercased() }) {
        case "bearer": self = .bearer(scheme: scheme, token: String(rest))
        case "basic":
            guard let bytes = Base64.decode(rest), let text = String(validating: bytes, as: UTF8.self),
                let colon = text.utf8.firstIndex(of: UInt8(ascii: ":"))
            else {
                self = .whole(value)
                return
            }
            self = .basic(
                scheme: scheme, user: String(text[..<colon]), password: String(text[text.utf8.index(after: colon)...]))
        default: self = .whole(value)
        }
    }

    func collect(into candidates: inout AliasCandidates) throws(CallError) {
        switch self {
        case .whole(let text), .bearer(_, let text): try candidates.add(text)
        case .basic(_, let user, let password):
            try candidates.add(user)
            try candidates.add(password)
        }
    }

    /// The header's value with values in the place of aliases; nil if a value cannot stand there: it holds a line break
    /// or begins or ends with a blank, or the user of `Basic` has a colon. A header without aliases is `value`, as it was written.
    func text(_ values: RevealedValues, value: String) -> String? {
        switch self {
        case .whole(let text): return checked(values[text] ?? value)
        case .bearer(let scheme, let token): return checked(values[token].map { scheme + $0 } ?? value)
        case .basic(let scheme, let user, let password):
            let newUser = values[user]
            let newPassword = values[password]
            guard newUser != nil || newPassword != nil else { return checked(value) }
            guard newUser?.utf8.contains(UInt8(ascii: ":")) != true else { return nil }
            return scheme + Base64.encode(Array("\(newUser ?? user):\(newPassword ?? password)".utf8))
        }
    }

    /// Blanks at the ends would be lost: they are no part of a header's value (RFC 9110 section 5.5).
    private func checked(_ value: String) -> String? {
        let blanks: [UInt8?] = [UInt8(ascii: " "), UInt8(ascii: "\t")]
        guard !blanks.contains(value.utf8.first), !blanks.contains(value.utf8.last) else { return nil }
        return HeaderRule.isValue(value) ? value : nil
    }
}
