/// Text that is compared by its bytes. Swift takes an "é" of one scalar and one of two for the same, and a Kelvin sign for
/// the letter K; aliases, classifiers and values are what was sent and nothing else.
struct ExactText: Hashable, Sendable {
    let text: String

    init(_ text: String) {
        self.text = text
    }

    static func == (one: ExactText, other: ExactText) -> Bool { one.text.utf8.elementsEqual(other.text.utf8) }

    func hash(into hasher: inout Hasher) {
        var text = text
        // Sound: the bytes are read before the closure ends.
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}

extension [String] {
    /// Each text once, in the order in which they first appear; compared by their bytes.
    public var distinctByBytes: [String] {
        guard count > 1 else { return self }
        var seen: Set<ExactText> = []
        return filter { seen.insert(ExactText($0)).inserted }
    }

    /// Those that are among `texts`, byte for byte.
    public func among(_ texts: [String]) -> [String] {
        guard !isEmpty, !texts.isEmpty else { return [] }
        let others = Set(texts.map(ExactText.init))
        return filter { others.contains(ExactText($0)) }
    }

    /// Whether every one of `texts` is among these, byte for byte.
    func holdsBytes(ofAll texts: [String]) -> Bool {
        guard !texts.isEmpty else { return true }
        let own = Set(map(ExactText.init))
        return texts.allSatisfy { own.contains(ExactText($0)) }
    }
}
