/// Which headers a route may be told to pass on or set (docs/reference/proxy.md section 3; RFC 9110 sections 5.1 and 7.6.1).
enum HeaderRule {
    /// What belongs to one connection or is the gateway's own to say.
    private static let never: Set<String> = [
        "host", "content-length", "content-type", "transfer-encoding", "connection", "keep-alive", "te", "trailer",
        "upgrade", "expect",
    ]
    /// What an answer of the gateway says itself.
    private static let ownInAnswers: Set<String> = ["cloakroom-upstream-status", "x-request-id"]
    /// Likewise, but no reason to refuse a route: an upstream may well have a meaning of its own for it.
    static let replayed = "idempotent-replayed"

    /// Whether `name` is a token (RFC 9110 section 5.6.2).
    static func isName(_ name: String) -> Bool {
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
    static func isValue(_ value: String) -> Bool {
        value.utf8.count <= 8_192 && value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
    }

    /// Whether a request's header may be passed on. `name` in lower case.
    static func mayForward(_ name: String) -> Bool { !never.contains(name) && !name.hasPrefix("proxy-") }

    /// Whether a route may set this header on every request. `name` in lower case.
    static func maySet(_ name: String) -> Bool { mayForward(name) && name != "x-request-id" }

    /// Whether an answer's header may be passed back. `name` in lower case.
    static func mayReturn(_ name: String) -> Bool {
        name == "content-type" || mayForward(name) && !ownInAnswers.contains(name)
    }
}
