import HTTPWire

/// The header `Idempotency-Key`: whoever repeats a request with the same key gets the first answer again, and nothing is done
/// twice. 1 to 255 printable ASCII characters.
enum IdempotencyKey {
    static let header = "Idempotency-Key"
    /// For how many seconds an answer is kept: a day.
    static let lifetime: Int64 = 86_400

    /// Nil if the request has none.
    static func read(_ head: RequestHead) throws(CallError) -> String? {
        guard head.contains(header) else { return nil }
        let given = head.all(header)
        guard given.count == 1, let key = given.first, (1...255).contains(key.utf8.count),
            key.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F })
        else { throw .malformed("\(header) must be 1 to 255 printable ASCII characters, and be given once") }
        return key
    }
}
