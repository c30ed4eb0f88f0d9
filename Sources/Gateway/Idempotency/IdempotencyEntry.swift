import Configuration
import Crypto
import HTTPWire
import JSON

/// The content of an entry: the digest of its request, and what has become of it.
struct IdempotencyEntry {
    enum State {
        /// The request is being carried out, or was when its process ended.
        ///
        /// - Parameter until: Unix seconds until which another process is believed to carry it out.
        case claimed(until: Int64)
        /// The request was carried out, and its response is not stored: too large, not storable, or no room.
        case withoutResponse
        case response(CallResponse)
    }

    /// 32 bytes.
    let request: [UInt8]
    let state: State

    /// Bytes of the largest entry.
    static let limit = 4 << 20

    // The first byte of an entry.
    private static let responseTag: UInt8 = 1
    private static let withoutResponseTag: UInt8 = 2
    private static let claimTag: UInt8 = 3

    /// The entry that a request begins with.
    static func claim(of request: [UInt8], until time: Int64) -> [UInt8] {
        [claimTag] + request + time.bigEndianBytes
    }

    /// The entry of a request whose response is not stored.
    static func withoutResponse(of request: [UInt8]) -> [UInt8] { [withoutResponseTag] + request }

    /// The entry with a response; nil if that is streamed or too large.
    static func bytes(of response: CallResponse, to request: [UInt8]) -> [UInt8]? {
        guard response.incoming == nil, response.body.count <= Self.limit else { return nil }
        var bytes = [responseTag]
        bytes += request
        bytes.append(bigEndian: UInt32(clamping: response.status))
        let headers = response.allHeaders.map { ($0, Array($1.utf8)) } + response.fixed.opaque
        bytes.append(bigEndian: UInt32(clamping: headers.count))
        for (name, value) in headers {
            for text in [Array(name.utf8), value] {
                bytes.append(bigEndian: UInt32(clamping: text.count))
                bytes += text
            }
        }
        bytes += response.body
        return bytes.count <= Self.limit ? bytes : nil
    }

    /// Nil if the bytes are not an entry.
    init?(_ bytes: [UInt8]) {
        var rest = bytes[...]
        guard let tag = rest.popFirst(), rest.count >= 32 else { return nil }
        request = Array(rest.prefix(32))
        rest = rest.dropFirst(32)
        switch tag {
        case Self.withoutResponseTag where rest.isEmpty: state = .withoutResponse
        case Self.claimTag:
            guard let time = Int64(bigEndianBytes: rest) else { return nil }
            state = .claimed(until: time)
        case Self.responseTag:
            guard let response = Self.response(rest) else { return nil }
            state = .response(response)
        default: return nil
        }
    }

    private static func response(_ bytes: ArraySlice<UInt8>) -> CallResponse? {
        var rest = bytes
        guard let status = number(&rest), let count = number(&rest), count <= 1_024 else { return nil }
        var lines: [(name: String, value: [UInt8])] = []
        for _ in 0..<count {
            guard let name = text(&rest), let value = text(&rest) else { return nil }
            lines.append((String(decoding: name, as: UTF8.self), Array(value)))
        }
        guard var response = response(status, lines, Array(rest)) else { return nil }
        response.upstreamStatus =
            response.headers.first { $0.0 == CallResponse.upstreamStatusName }.flatMap { Int($0.1) }
        return response
    }

    /// A value that is not UTF-8 came from an upstream; all lines of its name stay together.
    private static func response(
        _ status: Int, _ lines: [(name: String, value: [UInt8])], _ body: [UInt8]
    ) -> CallResponse? {
        var response = CallResponse(status: status, body: body)
        let texts = lines.map { ($0.name, String(validating: $0.value, as: UTF8.self)) }
        let opaque = Set(texts.filter { $0.1 == nil }.map(\.0))
        for case (let name, let text?) in texts where !opaque.contains(name) { response.headers.append((name, text)) }
        if opaque.isEmpty { return response }
        guard let block = try? FieldBlock(opaque: lines.filter { opaque.contains($0.name) }) else { return nil }
        response.fixed = block
        return response
    }

    private static func number(_ bytes: inout ArraySlice<UInt8>) -> Int? {
        bytes.takeBigEndian(UInt32.self).map { Int($0) }
    }

    private static func text(_ bytes: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard let count = number(&bytes), bytes.count >= count else { return nil }
        defer { bytes = bytes.dropFirst(count) }
        return bytes.prefix(count)
    }
}

extension CallResponse {
    /// The stored response as the response to a repetition: a problem of the gateway gets the repetition's request id, and its
    /// code is in the log again.
    func replayed(requestID: String) -> CallResponse {
        var response = self
        for name in HeaderRule.replayed { response.headers.append((name, "true")) }
        let isProblem = headers.contains { $0 == ("Content-Type", Problem.mediaType) }
        guard isProblem, upstreamStatus == nil, case .object(var problem)? = try? JSONValue.parse(body)
        else { return response }
        if case .number(let code)? = problem["error"]?.object?["code"] { response.errorCode = code.int }
        problem.set("requestId", .string(requestID))
        var json = JSONWriter(capacity: body.count + 128)
        json.value(.object(problem))
        response.body = json.bytes
        return response
    }
}
