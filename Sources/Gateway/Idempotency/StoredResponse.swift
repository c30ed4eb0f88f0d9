import HTTPWire
import JSON

/// An answer as it is kept: with the digest of its request.
struct StoredResponse {
    /// Bytes of one; of a larger answer it is kept only that there was one.
    static let limit = 4 << 20
    private static let version: UInt8 = 1
    /// Stands in the place of the version where there is no answer behind the request.
    private static let tooLarge: UInt8 = 2

    /// Likewise where the answer is still to come, from another process.
    private static let underWay: UInt8 = 3

    /// 32 bytes.
    let request: [UInt8]
    /// Nil if it was too large, or not here to its end, or there was no room for it.
    let answer: CallResponse?
    /// If it is still to come: until when that is believed (Unix seconds).
    private(set) var isUnderWayUntil: Int64?

    init(request: [UInt8], answer: CallResponse) {
        self.request = request
        self.answer = answer
    }

    var bytes: [UInt8] { answer.flatMap(whole) ?? trace }

    /// No more than that there was an answer.
    var trace: [UInt8] { [Self.tooLarge] + request }

    /// That there will be an answer to the request of this digest, until that time (Unix seconds).
    static func mark(of request: [UInt8], until time: Int64) -> [UInt8] {
        [underWay] + request + withUnsafeBytes(of: time.bigEndian) { Array($0) }
    }

    private func whole(_ answer: CallResponse) -> [UInt8]? {
        guard answer.incoming == nil, answer.body.count <= Self.limit else { return nil }
        var bytes = [Self.version]
        bytes += request
        Self.append(UInt32(clamping: answer.status), to: &bytes)
        let headers = answer.allHeaders.map { ($0, Array($1.utf8)) } + answer.fixed.opaque
        Self.append(UInt32(clamping: headers.count), to: &bytes)
        for (name, value) in headers {
            for text in [Array(name.utf8), value] {
                Self.append(UInt32(clamping: text.count), to: &bytes)
                bytes += text
            }
        }
        bytes += answer.body
        return bytes.count <= Self.limit ? bytes : nil
    }

    /// Nil if the bytes are none of these.
    init?(_ bytes: [UInt8]) {
        var rest = bytes[...]
        guard let version = rest.popFirst(), rest.count >= 32 else { return nil }
        request = Array(rest.prefix(32))
        rest = rest.dropFirst(32)
        if version == Self.tooLarge, rest.isEmpty {
            answer = nil
            return
        }
        if version == Self.underWay, rest.count == 8 {
            answer = nil
            isUnderWayUntil = rest.reduce(0) { $0 << 8 | Int64($1) }
            return
        }
        guard version == Self.version else { return nil }
        guard let status = Self.number(&rest), let count = Self.number(&rest), count <= 1_024 else { return nil }
        var lines: [(name: String, value: [UInt8])] = []
        for _ in 0..<count {
            guard let name = Self.text(&rest), let value = Self.text(&rest) else { return nil }
            lines.append((String(decoding: name, as: UTF8.self), Array(value)))
        }
        guard var answer = Self.answer(status, lines, Array(rest)) else { return nil }
        answer.upstreamStatus = answer.headers.first { $0.0 == "Cloakroom-Upstream-Status" }.flatMap { Int($0.1) }
        self.answer = answer
    }

    /// A value that is not UTF-8 came from an upstream, and with it all lines of its name.
    private static func answer(_ status: Int, _ lines: [(name: String, value: [UInt8])], _ body: [UInt8])
        -> CallResponse?
    {
        var answer = CallResponse(status: status, body: body)
        let texts = lines.map { ($0.name, String(validating: $0.value, as: UTF8.self)) }
        let opaque = Set(texts.filter { $0.1 == nil }.map(\.0))
        for case (let name, let text?) in texts where !opaque.contains(name) { answer.headers.append((name, text)) }
        if opaque.isEmpty { return answer }
        guard let block = try? FieldBlock(opaque: lines.filter { opaque.contains($0.name) }) else { return nil }
        answer.fixed = block
        return answer
    }

    /// The answer to a request of this name: a problem of the gateway's own tells the name in its body, too.
    func answer(named id: String) -> CallResponse? {
        guard let answer else { return nil }
        let isProblem = answer.headers.contains { $0 == ("Content-Type", Problem.mediaType) }
        guard isProblem, answer.upstreamStatus == nil, case .object(var problem)? = try? JSONValue.parse(answer.body)
        else { return answer }
        problem.set("requestId", .string(id))
        var json = JSONWriter(capacity: answer.body.count + 128)
        json.value(.object(problem))
        var named = answer
        named.body = json.bytes
        return named
    }

    private static func append(_ number: UInt32, to bytes: inout [UInt8]) {
        withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
    }

    private static func number(_ bytes: inout ArraySlice<UInt8>) -> Int? {
        guard bytes.count >= 4 else { return nil }
        defer { bytes = bytes.dropFirst(4) }
        return Int(bytes.prefix(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) })
    }

    private static func text(_ bytes: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard let count = number(&bytes), bytes.count >= count else { return nil }
        defer { bytes = bytes.dropFirst(count) }
        return bytes.prefix(count)
    }
}
