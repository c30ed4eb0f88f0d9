import Configuration
import HTTPWire
import JSON

/// A caller's request to a reveal route, taken apart into what may hold aliases.
struct RevealRequest {
    private let places: BodyPlaces
    private let body: RevealBody
    private let query: PairText?
    /// In lower case, each with its values in the order in which they came.
    private let headers: [(name: String, values: [(text: String, parts: HeaderAliases)])]

    init(_ call: Call, _ route: RevealRoute) throws(CallError) {
        // It is passed on, too.
        _ = try Self.values(of: "Content-Type", call.head.headers)
        places = route.places
        body = try RevealBody(call, route.places)
        let names = route.rules.query
        query = call.head.target.query.map { query in
            PairText(query) { name in names.contains { $0.hasSameBytes(as: name) } ? .every : .nothing }
        }
        let received = call.head.headers
        // What is not sent reveals nothing.
        let sent = route.rules.headers.filter { !route.route.sets($0) && !received.isConnectionSpecific($0) }
        headers = try sent.map { name throws(CallError) in
            (name, try Self.values(of: name, received).map { ($0, HeaderAliases($0)) })
        }
    }

    /// A value that is not UTF-8 could only be passed on altered.
    private static func values(of name: String, _ headers: Headers) throws(CallError) -> [String] {
        var values: [String] = []
        for value in headers.texts(name) {
            guard let value else { throw .unreadableHeader(name) }
            values.append(value)
        }
        return values
    }

    /// Whether values may be written percent-encoded.
    var isPercentEncoded: Bool {
        if case .form = body { return true }
        return query != nil
    }

    /// Everything that may be an alias.
    func candidates() throws(CallError) -> AliasCandidates {
        var candidates = AliasCandidates()
        try body.collect(into: &candidates)
        try query?.collect(into: &candidates)
        for header in headers { for value in header.values { try value.parts.collect(into: &candidates) } }
        return candidates
    }

    /// Throws unless an alias stands wherever the route says that one must. A text of digits that has been deleted from the vault can't
    /// be told from a card number; here it is refused instead of being sent as one.
    func requireAliases(_ values: RevealedValues) throws(CallError) {
        guard let pointer = body.missingAlias(at: places.required, values) else { return }
        throw .aliasRequired(pointer: pointer.text)
    }

    /// What is sent.
    struct Revealed {
        var body: [UInt8]
        /// Nil if the caller's is sent.
        private(set) var path: ForwardPath?
        /// Still percent-encoded; nil if there was none.
        private(set) var query: String?
        /// Whether the body is passed on unread, so that the caller's Content-Encoding still describes it.
        let isUnread: Bool
        /// Values of the headers that may hold aliases, by their names in lower case.
        private(set) var headers: [String: [String]]
        /// Everything that the request reveals.
        let values: RevealedValues

        /// Sends these texts in the place of others.
        mutating func replace(_ texts: RequestHeadTexts) {
            path = texts.path
            query = texts.query
            headers = texts.headerValues
        }
    }

    /// The request with values in the place of aliases.
    func revealed(_ values: RevealedValues) throws(CallError) -> Revealed {
        var all: [String: [String]] = [:]
        var values = values
        for header in headers {
            for value in header.values {
                guard let text = value.parts.text(values, value: value.text) else {
                    throw .malformed("what an alias in the header \(header.name) stands for cannot stand in a header")
                }
                if case .basic = value.parts { values.addEncoded(text, for: value.text) }
                all[header.name, default: []].append(text)
            }
        }
        return Revealed(
            body: body.bytes(values), path: nil, query: query?.text(values), isUnread: body.isUnread, headers: all,
            values: values)
    }
}
