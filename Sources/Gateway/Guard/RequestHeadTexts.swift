import Configuration
import FormSchema
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
    fileprivate var all: [(text: String, place: String)] {
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

extension PANGuard {
    /// What stands beside a body as it may be sent, with card numbers masked if they are to be; nil if it may be sent as it is. Throws
    /// `cardNumberRefused`.
    func inspect(
        _ texts: RequestHeadTexts, _ subject: Subject, _ call: Call
    ) async throws(CallError) -> RequestHeadTexts? {
        guard subject.action != .off, hasFind(texts, subject) else { return nil }
        let exempt = await exemptions(numbers(in: texts, subject))
        return try filtered(texts, exempt, subject, call)
    }

    @inline(never)
    private func hasFind(_ texts: RequestHeadTexts, _ subject: Subject) -> Bool {
        var exempt: PANFilter.Exemptions?
        // Not of `all`, which would be allocated for every request.
        if hasFind(texts.path.encoded.utf8Span.span, subject, &exempt) { return true }
        if let query = texts.query, hasFind(query.utf8Span.span, subject, &exempt) { return true }
        for header in texts.headers {
            for value in header.values where hasFind(value.utf8Span.span, subject, &exempt) { return true }
        }
        return false
    }

    /// Not inlined: the numbers must not become locals of the asynchronous caller.
    @inline(never)
    private func numbers(in texts: RequestHeadTexts, _ subject: Subject) -> NumbersToLookUp {
        var numbers = NumbersToLookUp(exempt: subject.exemptions)
        for (text, _) in texts.all { numbers.add(text.utf8Span.span) }
        return numbers
    }

    @inline(never)
    private func filtered(
        _ texts: RequestHeadTexts, _ exempt: PANFilter.Exemptions, _ subject: Subject, _ call: Call
    ) throws(CallError) -> RequestHeadTexts? {
        var count = 0
        var places: [String] = []
        for (text, place) in texts.all {
            var filter = PANFilter(.report, isJSON: false, exempt: exempt)
            _ = filter.filter(Array(text.utf8), isLast: true)
            count += filter.found
            if filter.found > 0, places.last != place { places.append(place) }
        }
        guard count > 0 else { return nil }
        record(subject, count: count, places: places, call)
        if subject.action == .refuse { throw .cardNumberRefused(places: places) }
        guard subject.action == .mask else { return nil }
        return texts.map { text in
            var filter = PANFilter(.mask, isJSON: false, exempt: exempt)
            return String(decoding: filter.filter(Array(text.utf8), isLast: true), as: UTF8.self)
        }
    }
}
