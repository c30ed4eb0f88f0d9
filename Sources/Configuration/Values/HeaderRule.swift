/// Which headers a route may pass on or set (docs/reference/proxy.md section 3; RFC 9110 sections 5.1 and 7.6.1).
public enum HeaderRule {
    /// What belongs to one connection, or is set by the gateway itself.
    private static let never: Set<String> = [
        "host", "content-length", "content-type", "transfer-encoding", "connection", "keep-alive", "te", "trailer",
        "upgrade", "expect",
    ]
    /// What a response of the gateway says itself.
    private static let ownInResponses: Set<String> = ["cloakroom-upstream-status", "x-request-id"]
    /// Headers of the gateway's own responses that upstreams use too, under its name and that of earlier releases: naming one is a
    /// warning, no mistake.
    public static let replayed = ["Idempotency-Replayed", "Idempotent-Replayed"]

    /// Whether `name` is a token (RFC 9110 section 5.6.2).
    public static func isName(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.count <= 256
            && name.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
                }
            }
    }

    /// Whether `value` can stand in a header: no line break, no NUL, no other control but the tab.
    public static func isValue(_ value: String) -> Bool {
        value.utf8.count <= 8_192 && value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
    }

    /// Whether a request's header may be passed on. `name` in lower case.
    public static func mayForward(_ name: String) -> Bool { !never.contains(name) && !name.hasPrefix("proxy-") }

    /// Whether a route may set this header on every request. `name` in lower case.
    public static func maySet(_ name: String) -> Bool { mayForward(name) && name != "x-request-id" }

    /// Whether a response's header may be passed back. `name` in lower case.
    public static func mayReturn(_ name: String) -> Bool {
        name == "content-type" || mayForward(name) && !ownInResponses.contains(name)
    }
}
