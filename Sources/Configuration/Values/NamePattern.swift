import FormSchema

/// Names of forms, routes or classifiers that a configuration limits something to.
enum NamePattern {
    /// Whether `text` is a name, or the beginning of names with `*` at its end (docs/reference/access.md section 1).
    static func isPattern(_ text: String) -> Bool {
        (1...256).contains(text.utf8.count) && !text.utf8.dropLast().contains(UInt8(ascii: "*"))
    }

    /// Whether it means `name`.
    static func matches(_ pattern: String, _ name: String) -> Bool {
        guard pattern.utf8.last == UInt8(ascii: "*") else { return name.utf8.elementsEqual(pattern.utf8) }
        return name.utf8.starts(with: pattern.utf8.dropLast())
    }
}

extension DocumentReader {
    /// A list of names; a list that would allow nothing is a mistake.
    ///
    /// - Parameter takesPatterns: whether a name may end in `*`.
    func names(takesPatterns: Bool) -> [String] {
        guard let list = list() else { return [] }
        if list.isEmpty { mistake("name at least one, or leave the key out") }
        return list.compactMap { element in
            guard let name = element.text() else { return nil }
            let isName = takesPatterns ? NamePattern.isPattern(name) : (1...256).contains(name.utf8.count)
            if isName { return name }
            element.mistake(takesPatterns ? "expected a name; * may stand only at its end" : "expected a name")
            return nil
        }
    }

    /// A list of networks.
    func networks() -> [CIDRNetwork] {
        guard let list = list() else { return [] }
        if list.isEmpty { mistake("name at least one network, or leave the key out") }
        return list.compactMap { element in
            guard let text = element.text() else { return nil }
            if let network = CIDRNetwork(text) { return network }
            element.mistake("not a network in CIDR form (such as 10.0.0.0/8, 2001:db8::/32 or 192.0.2.7)")
            return nil
        }
    }
}
