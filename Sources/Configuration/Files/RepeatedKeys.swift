import Yams

/// Composes YAML in which a key is given twice. Yams refuses the whole file then, so that its other mistakes would stay hidden.
/// Every key that Yams refuses gets a mark in the text until all keys differ; the marks are removed when the tree is read.
struct RepeatedKeys {
    /// Of the private use area (Unicode 23.5): no key begins with it.
    private static let flag: Unicode.Scalar = "\u{F8FF}"
    /// Keys that are marked at most; then the mistake is the one that Yams reports.
    private static let limit = 100

    /// Kept as long as the tree: it owns the anchors that nodes point to.
    private let parser: Yams.Parser
    /// The root of the document; nil if it is empty.
    let root: Yams.Node?
    private let hasMarks: Bool

    static func compose(_ text: String) throws -> RepeatedKeys {
        var text = text
        var marks = 0
        while true {
            do {
                let parser = try Yams.Parser(yaml: text, resolver: .basic, encoding: .utf8)
                return RepeatedKeys(parser: parser, root: try parser.singleRoot(), hasMarks: marks > 0)
            } catch YamlError.duplicatedKeysInMapping(let keys, let context) {
                guard marks < limit, let marked = marking(context.mark, in: text, number: marks) else {
                    throw YamlError.duplicatedKeysInMapping(duplicates: keys, context: context)
                }
                text = marked
                marks += 1
            }
        }
    }

    /// A key as the file has it.
    func key(_ scalar: Yams.Node.Scalar) -> String {
        guard hasMarks, scalar.string.unicodeScalars.first == Self.flag else { return scalar.string }
        return String(scalar.string.unicodeScalars.dropFirst(2))
    }

    /// `text` with a mark at the beginning of the key at `place`; nil if the key is written in a way that a mark would change.
    private static func marking(_ place: Mark, in text: String, number: Int) -> String? {
        guard let index = index(of: place, in: text.unicodeScalars),
            let own = Unicode.Scalar(0xE000 + UInt32(number))
        else { return nil }
        var marked = text.unicodeScalars
        switch marked[index] {
        case "&", "!", "*", "[", "{", "|", ">": return nil
        case "\"", "'": marked.insert(contentsOf: [flag, own], at: marked.index(after: index))
        default: marked.insert(contentsOf: [flag, own], at: index)
        }
        return String(marked)
    }

    /// The index of a place that the parser reports: lines end as YAML 1.1 has it (section 4.2), columns are scalars.
    private static func index(of mark: Mark, in scalars: String.UnicodeScalarView) -> String.Index? {
        var (line, column) = (1, 1)
        var previous: Unicode.Scalar?
        for index in scalars.indices {
            let scalar = scalars[index]
            defer { previous = scalar }
            if scalar == "\n", previous == "\r" { continue }
            if line == mark.line, column == mark.column { return index }
            switch scalar {
            case "\n", "\r", "\u{85}", "\u{2028}", "\u{2029}": (line, column) = (line + 1, 1)
            default: column += 1
            }
        }
        return nil
    }
}
