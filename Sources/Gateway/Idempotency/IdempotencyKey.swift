import HTTPWire

/// The header `Idempotency-Key`: 1 to 255 printable ASCII characters. A request that is repeated with the same key gets the first
/// response again, and is not carried out again (`docs/reference/proxy.md` section 8).
enum IdempotencyKey {
    static let header = "Idempotency-Key"

    /// Nil if the request has no key.
    static func read(_ head: RequestHead) throws(CallError) -> String? {
        guard head.contains(header) else { return nil }
        let given = head.all(header)
        guard given.count == 1, let key = given.first, (1...255).contains(key.utf8.count),
            key.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F })
        else { throw .malformed("\(header) must be 1 to 255 printable ASCII characters, and be given once") }
        return key
    }
}
