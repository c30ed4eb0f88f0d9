internal import JSON

/// The replacement of a transform: text with `$0` for the whole match and `$1`…`$99` for groups (`docs/reference/elements.md` section 5).
struct Template: Sendable {
    private enum Piece: Sendable {
        case text([UInt8])
        case group(Int)
    }

    /// The matcher has no group of this number.
    struct NoSuchGroup: Error {
        let number: Int
    }

    private var pieces: [Piece] = []

    /// Replaces by nothing.
    init() {}

    /// - Parameter groupCount: how many groups the matcher has. A number is the longest one that is an existing group, so
    ///   `$12` with three groups is group 1 and a `2`.
    init(_ text: String, groupCount: Int) throws(NoSuchGroup) {
        var plain: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "\\"), let escaped = rest.popFirst() {
                plain.append(escaped)
            } else if byte == UInt8(ascii: "$"), let first = rest.first, first.isDigit {
                if !plain.isEmpty { pieces.append(.text(plain)) }
                plain = []
                pieces.append(.group(try Self.group(in: &rest, groupCount: groupCount)))
            } else {
                plain.append(byte)
            }
        }
        if !plain.isEmpty { pieces.append(.text(plain)) }
    }

    /// Reads the one or two digits of a group's number.
    private static func group(in rest: inout Substring.UTF8View, groupCount: Int) throws(NoSuchGroup) -> Int {
        let digits = rest.prefix(2).prefix { $0.isDigit }
        var number = 0
        for length in stride(from: digits.count, to: 0, by: -1) {
            number = digits.prefix(length).reduce(0) { 10 * $0 + Int($1 - 0x30) }
            guard number <= groupCount else { continue }
            rest = rest.dropFirst(length)
            return number
        }
        throw NoSuchGroup(number: number)
    }

    /// Appends the replacement of one match in `source`.
    func append(_ groups: Pattern.Groups, of source: [UInt8], to result: inout [UInt8]) {
        for piece in pieces {
            switch piece {
            case .text(let text): result.append(contentsOf: text)
            case .group(let number):
                if let range = groups.range(number), range.upperBound <= source.count {
                    result.append(contentsOf: source[range])
                }
            }
        }
    }
}
