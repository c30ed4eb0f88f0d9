import Configuration
import EventHTTP
import HTTPWire

extension CallResponse {
    /// The name of the header with an upstream's status. The gateway writes it: its value is none of the upstream's texts.
    static let upstreamStatusName = "Cloakroom-Upstream-Status"

    /// An upstream's response as the caller gets it: its status, its body, and the headers of the route's `responseHeaders`, except
    /// those that its `Connection` names (`docs/reference/proxy.md` section 5). A coding of its body is always told: an upstream may
    /// compress without being asked (RFC 9110 section 12.5.3), and without `Content-Encoding` the body cannot be decoded.
    ///
    /// - Parameter body: replaces the upstream's.
    init(passing upstream: UpstreamResponse, of route: Route, body: [UInt8]? = nil) {
        self.init(status: upstream.response.status, body: body ?? upstream.response.body)
        if body == nil { incoming = upstream.response.incoming }
        let isCoded = body == nil && upstream.response.headers.contains(Self.coding)
        let isHidden = isCoded && !route.responseHeaders.contains { $0.lowercased() == "content-encoding" }
        let names = isHidden ? route.responseHeaders + [Self.coding] : route.responseHeaders
        // Two more for the upstream's status and the request id.
        headers.reserveCapacity(names.count + 2)
        var opaque: [(String, [UInt8])] = []
        for name in names where !upstream.response.headers.isConnectionSpecific(name) {
            if let only = upstream.response.headers.onlyText(name) {
                headers.append((name, only))
                continue
            }
            var values = upstream.response.headers.texts(name)
            // A response has one date.
            if name.utf8.count == 4, name.lowercased() == "date" { values = Array(values.prefix(1)) }
            if values.contains(nil), !Self.isInspected(name) {
                // All lines of a name stay together, because their order has a meaning (RFC 9110 section 5.3).
                opaque += upstream.response.headers.opaque(name).map { (name, $0) }
            } else {
                for case let value? in values { headers.append((name, value)) }
            }
        }
        if !opaque.isEmpty, let lines = try? FieldBlock(opaque: opaque) { fixed = lines }
        headers.append((Self.upstreamStatusName, String(upstream.response.status)))
        upstreamStatus = upstream.response.status
        upstreamMayHaveActed = true
        exchange = ExchangeRecord(
            route: route.name, microseconds: upstream.microseconds, buffered: upstream.response.buffered)
    }

    /// Another body in the place of the upstream's.
    mutating func replaceBody(_ other: [UInt8]) {
        body = other
        removeChecksums()
    }

    /// Removes the headers with a checksum of the body, which holds no more when the body is changed, and tells of what was in it
    /// (RFC 9530, RFC 1864).
    mutating func removeChecksums() { headers.removeAll { Self.checksums.contains($0.0.lowercased()) } }

    private static let coding = "Content-Encoding"
    private static let checksums: Set<String> = ["content-md5", "digest", "content-digest", "repr-digest"]

    /// Headers whose values the gateway reads itself, so that they must be text.
    private static func isInspected(_ name: String) -> Bool {
        let name = name.lowercased()
        return name == "date" || name.hasPrefix("access-control-")
    }
}
