import Configuration
import HTTPWire

/// A caller's request to a reveal route, taken apart into what may hold aliases.
struct RevealRequest {
    private let body: RevealBody
    private let query: PairText?
    /// In lower case, each with its values in the order in which they came.
    private let headers: [(name: String, values: [(text: String, parts: HeaderAliases)])]

    init(_ call: Call, _ route: RevealRoute) throws(CallError) {
        // It is passed on, too.
        _ = try Self.values(of: "Content-Type", call.head.headers)
        body = try RevealBody(call, route.rules.body)
        query = call.head.target.query.map { PairText($0, names: route.rules.query) }
        headers = try route.rules.headers.filter { !route.route.sets($0) }.map { name throws(CallError) in
            (name, try Self.values(of: name, call.head.headers).map { ($0, HeaderAliases($0)) })
        }
    }

    /// A value that is not UTF-8 could only be passed on altered.
    private static func values(of name: String, _ headers: Headers) throws(CallError) -> [String] {
        var values: [String] = []
        for value in headers.texts(name) {
            guard let value else { throw .malformed("the header \(name) is not UTF-8") }
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

    /// What is sent.
    struct Revealed {
        let body: [UInt8]
        /// Still percent-encoded; nil if there was none.
        let query: String?
        /// Whether nobody has looked into the body, so that what the caller says of it holds of what is sent.
        let isUnread: Bool
        /// Values of the headers that may hold aliases, by their names in lower case.
        let headers: [String: [String]]
    }

    /// The request with values in the place of aliases.
    func revealed(_ values: RevealedValues) throws(CallError) -> Revealed {
        var all: [String: [String]] = [:]
        for header in headers {
            for value in header.values {
                guard let text = value.parts.text(values, value: value.text) else {
                    throw .malformed("what an alias in the header \(header.name) stands for cannot stand in a header")
                }
                all[header.name, default: []].append(text)
            }
        }
        return Revealed(
            body: body.bytes(values), query: query?.text(values), isUnread: body.isUnread, headers: all)
    }
}
