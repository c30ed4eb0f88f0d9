/// The path to one value of a configuration, as messages and `--set` write it: `routes[0].timeouts.total`.
struct KeyPath: CustomStringConvertible {
    enum Step: Equatable {
        case key(String)
        case index(Int)
    }

    let steps: [Step]

    /// As deep as a document may be.
    private static let depth = 64

    /// Nil if `text` is no key path.
    init?(_ text: String) {
        var steps: [Step] = []
        for part in text.split(separator: ".", omittingEmptySubsequences: false) {
            let pieces = part.split(separator: "[", omittingEmptySubsequences: false)
            guard let name = pieces.first, !name.isEmpty else { return nil }
            steps.append(.key(String(name)))
            for piece in pieces.dropFirst() {
                guard piece.hasSuffix("]"), let index = Int(piece.dropLast()), (0..<10_000).contains(index),
                    String(index) == piece.dropLast()
                else {
                    return nil
                }
                steps.append(.index(index))
            }
        }
        guard steps.count <= Self.depth else { return nil }
        self.steps = steps
    }

    var description: String {
        steps.reduce(into: "") { text, step in
            switch step {
            case .key(let name): text += text.isEmpty ? name : ".\(name)"
            case .index(let index): text += "[\(index)]"
            }
        }
    }

    /// The path with every index left out: `routes[].methods`.
    var pattern: String {
        steps.reduce(into: "") { text, step in
            switch step {
            case .key(let name): text += text.isEmpty ? name : ".\(name)"
            case .index: text += "[]"
            }
        }
    }
}
