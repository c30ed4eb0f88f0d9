import HTTPWire
import Testing

/// Mutated messages: nothing traps, and the result is the same however the bytes arrive.
struct FuzzTests {
    private static let pieces = [
        "\r\n", "\r", "\n", " ", "\t", ":", ",", ";", "\u{0}", "\u{7F}", "\u{FF}", "%", "0", "5", "fffffffffffffff",
        "0x", "\"",
        "\r\n ", "Content-Length: 5\r\n", "Transfer-Encoding: chunked\r\n", "Host: b\r\n", "Connection: close\r\n",
        "HTTP/1.0", "HTTP/1.1", "http://", "*", "/", "?", "#", "[::1]", "chunked", "0\r\n\r\n", "99999999999999999999",
    ].map(latin1)

    private static func mutate(_ bytes: inout [UInt8], _ generator: inout SplitMix) {
        for _ in 0..<Int.random(in: 1...4, using: &generator) {
            let at = Int.random(in: 0...bytes.count, using: &generator)
            let end = min(bytes.count, at + Int.random(in: 0...6, using: &generator))
            switch Int.random(in: 0..<5, using: &generator) {
            case 0: bytes.removeSubrange(at..<end)
            case 1: bytes.insert(contentsOf: pieces.randomElement(using: &generator) ?? [], at: at)
            case 2: bytes.insert(contentsOf: Array(bytes[at..<end]), at: at)
            case 3: bytes.insert(UInt8.random(in: .min ... .max, using: &generator), at: at)
            default: if at < bytes.count { bytes[at] ^= 1 << UInt8.random(in: 0..<8, using: &generator) }
            }
        }
    }

    @Test(arguments: 0..<8)
    func requests(_ seed: UInt64) {
        var generator = SplitMix(seed: seed)
        let seeds = RequestAcceptanceTests.cases.map(\.bytes) + RequestErrorTests.all.map(\.bytes)
        let limits = HeadLimits(startLineBytes: 100, headerBytes: 200, headerCount: 6)
        for _ in 0..<1500 {
            var bytes = seeds.randomElement(using: &generator) ?? []
            bytes += seeds.randomElement(using: &generator) ?? []
            FuzzTests.mutate(&bytes, &generator)
            let verdict = RequestStream.read([bytes], limits: limits, bodyLimit: 50)
            let longest = Int.random(in: 1...30, using: &generator)
            let pieces = Delivery.cut(bytes, seed: seed, longest: longest)
            #expect(RequestStream.read(pieces, limits: limits, bodyLimit: 50) == verdict, "\(bytes)")
        }
    }

    @Test(arguments: 0..<8)
    func responses(_ seed: UInt64) {
        var generator = SplitMix(seed: seed)
        let seeds = ResponseTests.accepted + ResponseTests.refused
        for _ in 0..<1500 {
            guard let item = seeds.randomElement(using: &generator) else { return }
            var bytes = item.bytes
            FuzzTests.mutate(&bytes, &generator)
            let verdict = ResponseStream.read([bytes], for: item.method, bodyLimit: 50)
            let longest = Int.random(in: 1...30, using: &generator)
            let pieces = Delivery.cut(bytes, seed: seed, longest: longest)
            #expect(ResponseStream.read(pieces, for: item.method, bodyLimit: 50) == verdict, "\(bytes)")
        }
    }

    /// An accepted message can be written again from what was parsed, and is then parsed as the same.
    @Test(arguments: 0..<4)
    func acceptedRequestsSurviveARoundTrip(_ seed: UInt64) throws {
        var generator = SplitMix(seed: seed)
        var accepted = 0
        for _ in 0..<1000 {
            var bytes = RequestAcceptanceTests.cases.randomElement(using: &generator)?.bytes ?? []
            FuzzTests.mutate(&bytes, &generator)
            var parser = RequestHeadParser()
            guard let head = try? parser.parse(bytes.span), let host = head.host else { continue }
            accepted += 1
            var writer = WireWriter()
            let headers = head.headers.map { ($0.name, $0.value) }
            try writer.request(head.method, target: head.target.text, host: host, headers: headers, body: [])
            var second = RequestHeadParser()
            let again = try #require(try second.parse(writer.bytes.span))
            #expect(again.method == head.method)
            #expect(again.target.text == head.target.text)
            #expect(again.host == host)
        }
        #expect(accepted > 50)
    }
}
