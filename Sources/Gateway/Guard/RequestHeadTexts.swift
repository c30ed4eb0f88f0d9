import Configuration
import HTTPWire

/// What a request to an upstream has of its caller's besides a body: the path, the query, and the headers that are passed on.
struct RequestHeadTexts {
    /// Percent-encoded, like the query.
    var path: ForwardPath
    var query: String?
    /// Values by names in lower case.
    var headers: [(name: String, values: [String])] = []

    /// - Parameter replacements: values that are sent in the place of the caller's, by names in lower case.
    init(
        path: ForwardPath, query: String? = nil, of call: Call, on route: Route, replacements: [String: [String]] = [:]
    ) {
        self.path = path
        self.query = query
        for name in route.headersForwarded(of: call.head.headers) {
            let texts = replacements[name] ?? call.head.headers.texts(name)
            let values = texts.compactMap(\.self)
            // A header that is no UTF-8 stays as it is: it is refused when it is written.
            if !values.isEmpty, values.count == texts.count { headers.append((name, values)) }
        }
    }

    /// Each text with what it is.
    var all: [(text: String, place: String)] {
        var all = [(path.encoded, "path")]
        if let query { all.append((query, "query")) }
        for header in headers { all += header.values.map { ($0, "header \(header.name)") } }
        return all
    }

    /// These texts with others in their places.
    func map(_ change: (String) -> String) -> RequestHeadTexts {
        var changed = self
        changed.path = ForwardPath(encoded: change(path.encoded))
        changed.query = query.map(change)
        changed.headers = headers.map { ($0.name, $0.values.map(change)) }
        return changed
    }

    /// Values of the headers by their names.
    var headerValues: [String: [String]] { Dictionary(headers.map { ($0.name, $0.values) }) { first, _ in first } }
}
