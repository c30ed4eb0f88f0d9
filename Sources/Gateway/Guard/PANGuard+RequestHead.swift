import FormSchema

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
