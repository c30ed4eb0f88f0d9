import Access
import FormSchema

extension DocumentReader {
    /// A list of names. One that ends in `*` stands for all names that begin with the text before it.
    func nameSet() -> NameSet {
        .matching(names(expected: "expected a name; * may stand only at its end") { NamePattern($0) })
    }

    /// A list of classifiers that a value may have any of.
    func anyClassifiers() -> [String] {
        names(expected: Self.classifierRule) { Self.isClassifier($0) ? $0 : nil }
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
