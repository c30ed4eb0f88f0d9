import FormSchema
import Sensitive

extension ConfigurationScope {
    /// `forwardHeaders`, in lower case.
    func forwardHeaders(_ reader: DocumentReader) -> [String] {
        headerNames(reader).compactMap { element, name in
            let name = name.lowercased()
            guard HeaderRule.mayForward(name) else {
                element.mistake("this header is never passed on")
                return nil
            }
            return name
        }
    }

    /// `responseHeaders`, as written.
    func responseHeaders(_ reader: DocumentReader) -> [String] {
        headerNames(reader).compactMap { element, name in
            guard HeaderRule.mayReturn(name.lowercased()) else {
                element.mistake("this header is never passed back")
                return nil
            }
            guard !HeaderRule.replayed.contains(where: { $0.lowercased() == name.lowercased() }) else {
                element.warning("this header is never passed back: the gateway sets it on its own responses")
                return nil
            }
            return name
        }
    }

    /// `headers`: names and fixed values.
    ///
    /// - Parameter searchesResponses: whether responses are searched for what was sent, which they can't be when they are compressed.
    func fixedHeaders(_ reader: DocumentReader, searchesResponses: Bool) -> [(name: String, value: String)] {
        guard case .map(let entries) = reader.node.content, let map = reader.map(keys: entries.map(\.key)) else {
            reader.mistake("expected a map of header names and values")
            return []
        }
        var headers: [(name: String, value: String)] = []
        for entry in entries {
            guard let element = map[entry.key] else { continue }
            // A header without its value may be a value without its header, or both in one: that is not shown.
            guard HeaderRule.isName(entry.key), !element.isNull else {
                reader.log.mistake("expected a header name and a value", at: reader.path, line: element.line)
                continue
            }
            guard let value = headerValue(element) else { continue }
            if !HeaderRule.maySet(entry.key.lowercased()) {
                element.mistake("this header cannot be set")
            } else if searchesResponses, Route.asksForCoding(entry.key, value) {
                element.mistake(
                    "the route's responses are searched (reveal, or guard refuse or mask), which they cannot be when they are compressed"
                )
            } else if headers.contains(where: { $0.name.lowercased() == entry.key.lowercased() }) {
                element.mistake("given twice")
            } else if !HeaderRule.isValue(value) {
                element.mistake("a header's value holds no line breaks or control characters")
            } else {
                headers.append((entry.key, value))
            }
        }
        return headers
    }

    /// The text; a secret, such as an API key of the upstream, is given as `{file: …}` or `{env: …}`.
    private func headerValue(_ reader: DocumentReader) -> String? {
        guard case .map = reader.node.content else { return reader.text() }
        return secretText(reader)?.exposed
    }

    /// A list of header names, each once.
    func headerNames(_ reader: DocumentReader) -> [(DocumentReader, String)] {
        var seen: Set<String> = []
        return (reader.list() ?? []).compactMap { element in
            guard let name = element.text() else { return nil }
            guard HeaderRule.isName(name) else {
                element.mistake("not a header name")
                return nil
            }
            // A name like others, which stands for all of them elsewhere.
            guard name != "*" else {
                element.mistake("* does not stand for all headers: name each")
                return nil
            }
            guard seen.insert(name.lowercased()).inserted else {
                element.mistake("given twice")
                return nil
            }
            return (element, name)
        }
    }
}
