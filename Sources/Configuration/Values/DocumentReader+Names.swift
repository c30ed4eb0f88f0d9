import Access
import FormSchema

extension DocumentReader {
    /// A list of names; a list that would allow nothing is a mistake.
    func names() -> [String] {
        names(expected: "expected a name") { (1...256).contains($0.utf8.count) ? $0 : nil }
    }

    /// A list of names. One that ends in `*` stands for all names that begin with the text before it.
    func nameSet() -> NameSet {
        .matching(names(expected: "expected a name; * may stand only at its end") { NamePattern($0) })
    }

    private func names<Name>(expected: String, _ name: (String) -> Name?) -> [Name] {
        guard let list = list() else { return [] }
        if list.isEmpty { mistake("name at least one, or leave the key out") }
        return list.compactMap { element in
            guard let text = element.text() else { return nil }
            if let name = name(text) { return name }
            element.mistake(expected)
            return nil
        }
    }
}
