import JSON

/// The name of a form or route, or with `*` at its end the beginning of names (`docs/reference/access.md` section 1).
public struct NamePattern: Hashable, Sendable, CustomStringConvertible {
    private let text: String
    private let isPrefix: Bool

    /// Nil if `pattern` is empty, longer than 256 bytes, or has a `*` elsewhere than at its end.
    public init?(_ pattern: String) {
        guard (1...256).contains(pattern.utf8.count) else { return nil }
        isPrefix = pattern.utf8.last == UInt8(ascii: "*")
        // By bytes: `*` may be part of a character with what stands before it.
        text = isPrefix ? String(Substring(pattern.utf8.dropLast())) : pattern
        guard !text.utf8.contains(UInt8(ascii: "*")) else { return nil }
    }

    public var description: String { isPrefix ? text + "*" : text }

    /// Whether `name` is meant. Bytes are compared: canonically equivalent names are different names.
    public func matches(_ name: String) -> Bool {
        guard isPrefix else { return name.hasSameBytes(as: text) }
        return name.utf8.count >= text.utf8.count && name.utf8.starts(with: text.utf8)
    }
}

/// The names that something is limited to; `.all` where it is not limited.
public enum NameSet: Sendable, Equatable {
    case all
    case matching([NamePattern])

    /// Whether `name` is one of them.
    public func contains(_ name: String) -> Bool {
        switch self {
        case .all: true
        case .matching(let patterns): patterns.contains { $0.matches(name) }
        }
    }
}
