/// Collects the bytes of messages to be sent, one behind the other.
///
/// Framing is the writer's business: `Content-Length`, `Transfer-Encoding` and `Connection` among the headers that it is
/// given are left out, and so is `Host` in requests. A name that is no token, or a value with a control character, is
/// never written: the call throws ``WireError/unwritableField`` and leaves ``bytes`` as they were.
public struct WireWriter: Sendable {
    /// What has been written so far.
    public internal(set) var bytes: [UInt8] = []

    public init(capacity: Int = 0) {
        bytes.reserveCapacity(capacity)
    }

    /// Forgets what has been written, and keeps the memory.
    public mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
    }

    /// Hands over what has been written, and starts afresh.
    public mutating func take() -> [UInt8] {
        var taken: [UInt8] = []
        swap(&taken, &bytes)
        return taken
    }

    /// Runs `write`; if it throws, nothing of it stays.
    @inline(__always)
    mutating func whole(
        _ write: (inout WireWriter) throws(WireError) -> Void
    ) throws(WireError) {
        let mark = bytes.count
        do throws(WireError) {
            try write(&self)
        } catch {
            bytes.removeSubrange(mark...)
            throw error
        }
    }

    @inline(__always)
    mutating func append(_ literal: StaticString) {
        // A literal is never freed; the array copies what it reads.
        literal.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }

    @inline(__always)
    mutating func append(text: String) {
        bytes.append(contentsOf: text.utf8)
    }

    @inline(__always)
    mutating func append(_ body: [UInt8]) {
        bytes.append(contentsOf: body)
    }

    /// Appends `number`, not negative, in `radix` 10 or 16.
    mutating func append(_ number: Int, radix: Int = 10) {
        var rest = max(number, 0)
        var divisor = 1
        while rest / divisor >= radix { divisor *= radix }
        while divisor > 0 {
            let digit = UInt8(truncatingIfNeeded: rest / divisor)
            bytes.append(digit < 10 ? 0x30 + digit : 0x57 + digit)
            rest %= divisor
            divisor /= radix
        }
    }

    /// Appends `name: value CRLF` after checking both.
    mutating func field(_ name: String, _ value: String) throws(WireError) {
        let start = bytes.count
        append(text: name)
        guard bytes.span.isToken(start..<bytes.count) else { throw .unwritableField }
        append(": ")
        let startOfValue = bytes.count
        append(text: value)
        guard bytes.span.endOfFieldText(startOfValue..<bytes.count) == bytes.count else { throw .unwritableField }
        append("\r\n")
    }

    /// Appends those of `headers` that are not the writer's own business.
    mutating func fields(_ headers: [(String, String)], of message: MessageKind) throws(WireError) {
        for (name, value) in headers where !message.owns(name) { try field(name, value) }
    }
}
