import CHiredis

/// What the server says to one command.
enum RedisReply: Sendable {
    case text([UInt8])
    case number(Int64)
    case list([RedisReply])
    case nothing
    /// Its first word in capital letters, as `OOM`; the rest may quote what it is about.
    case refusal(String)

    /// Copies a reply of hiredis.
    init(_ reply: redisReply) {
        switch reply.type {
        case REDIS_REPLY_STRING, REDIS_REPLY_STATUS: self = .text(Self.bytes(reply))
        case REDIS_REPLY_INTEGER: self = .number(reply.integer)
        case REDIS_REPLY_ARRAY:
            // Sound: the reply has so many elements, each made by hiredis and freed with it.
            let elements = UnsafeBufferPointer(start: reply.element, count: reply.elements)
            self = .list(elements.map { $0.map { RedisReply($0.pointee) } ?? .nothing })
        case REDIS_REPLY_ERROR:
            let word = Self.bytes(reply).prefix { $0 != UInt8(ascii: " ") }.prefix(32)
            self = .refusal(String(decoding: word.filter { (0x41...0x5A).contains($0) }, as: UTF8.self))
        default: self = .nothing
        }
    }

    // Sound: hiredis keeps so many bytes there until the reply is freed; they are copied here.
    private static func bytes(_ reply: redisReply) -> [UInt8] {
        reply.str.map { Array(UnsafeRawBufferPointer(start: $0, count: reply.len)) } ?? []
    }

    var text: String? { if case .text(let bytes) = self { String(decoding: bytes, as: UTF8.self) } else { nil } }
    var bytes: [UInt8]? { if case .text(let bytes) = self { bytes } else { nil } }
    var number: Int64? { if case .number(let number) = self { number } else { nil } }
    var list: [RedisReply]? { if case .list(let list) = self { list } else { nil } }
    var refusal: String? { if case .refusal(let word) = self { word } else { nil } }
}

/// Replies out of the bytes that arrive. Belongs to one connection.
final class RedisReader {
    /// Bytes of the replies to one batch. A batch asks for a quarter of it, unless it is one value.
    static let limit = 64 << 20

    private let reader: UnsafeMutablePointer<redisReader>
    private var count = 0

    /// Nil without memory.
    init?() {
        guard let reader = cloakroom_redis_reader() else { return nil }
        self.reader = reader
    }

    deinit { cloakroom_redis_free_reader(reader) }

    /// Before the replies to a batch.
    func begin() { count = 0 }

    /// Takes what has arrived. Throws `protocolViolation` if it is not RESP, and `tooMuch`.
    func take(_ bytes: ArraySlice<UInt8>) throws(RedisFailure) {
        count += bytes.count
        guard count <= Self.limit else { throw .tooMuch }
        let isTaken = bytes.withUnsafeBytes { bytes in
            // hiredis copies it.
            cloakroom_redis_feed(reader, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), bytes.count)
                == REDIS_OK
        }
        guard isTaken else { throw .protocolViolation }
    }

    /// The next reply; nil if it is not complete.
    func next() throws(RedisFailure) -> RedisReply? {
        var reply: UnsafeMutablePointer<redisReply>?
        guard cloakroom_redis_reply(reader, &reply) == REDIS_OK else { throw .protocolViolation }
        guard let reply else { return nil }
        defer { cloakroom_redis_free_reply(reply) }
        return RedisReply(reply.pointee)
    }
}

/// A command as it is sent (RESP, an array of bulk strings).
struct RedisCommand: Sendable {
    /// Bytes of a reply for each key: its own, and what stands beside it.
    private static let bytesPerKey = 128

    let bytes: [UInt8]
    /// Bytes that the reply is expected to have at most.
    let replySize: Int

    /// - Parameters:
    ///   - replyKeys: keys that the reply may name.
    ///   - values: bytes of values that it may hold.
    init(_ arguments: [[UInt8]], replyKeys: Int = 0, values: Int = 0) {
        replySize = 1_024 + replyKeys * Self.bytesPerKey + values
        var bytes = Array("*\(arguments.count)\r\n".utf8)
        for argument in arguments { bytes += Array("$\(argument.count)\r\n".utf8) + argument + Array("\r\n".utf8) }
        self.bytes = bytes
    }

    init(_ arguments: String...) { self.init(arguments.map { Array($0.utf8) }) }
}
