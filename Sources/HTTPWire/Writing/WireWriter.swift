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

    /// A writer that takes over the memory of `bytes`, leaving it without any; what is in it is forgotten.
    public init(reusing memory: inout [UInt8]) {
        // Swapped, for a second reference to the memory would make the first write copy it.
        swap(&bytes, &memory)
        bytes.removeAll(keepingCapacity: true)
    }

    /// Makes room for `count` more bytes, at least doubling what there is, so that many messages cost few moves.
    @inline(__always)
    mutating func reserve(_ count: Int) {
        if bytes.capacity - bytes.count < count { bytes.reserveCapacity(max(bytes.count + count, bytes.count * 2)) }
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

    /// Appends `text` if every byte passes `allowed`; answers whether it did.
    @inline(__always)
    mutating func append(text: String, ifAll allowed: (Span<UInt8>) -> Bool) -> Bool {
        let utf8 = text.utf8Span.span
        guard allowed(utf8) else { return false }
        append(utf8)
        return true
    }

    @inline(__always)
    private mutating func append(_ run: Span<UInt8>) {
        // One `memcpy`: the standard library offers none from a span. The pointer does not leave the closure.
        run.withUnsafeBufferPointer { bytes.append(contentsOf: $0) }
    }

    /// Appends bytes of a body as they are.
    public mutating func append(_ body: [UInt8]) { append(body.span) }

    /// Appends lines that were checked before.
    @inline(__always)
    mutating func append(_ block: FieldBlock) { block.write(by: &self) }

    /// Appends `number`, not negative, in decimal.
    mutating func append(_ number: Int) {
        var rest = UInt(max(number, 0))
        var digits = InlineArray<20, UInt8>(repeating: 0x30)
        var first = 19
        while rest >= 10 {
            let (tens, digit) = rest.quotientAndRemainder(dividingBy: 10)
            digits[first] = 0x30 + UInt8(truncatingIfNeeded: digit)
            first -= 1
            rest = tens
        }
        digits[first] = 0x30 + UInt8(truncatingIfNeeded: rest)
        for index in first..<20 { bytes.append(digits[index]) }
    }

    /// Appends `number`, not negative, in hexadecimal.
    mutating func append(hexadecimal number: Int) {
        let word = UInt(max(number, 0))
        var shift = max(0, (UInt.bitWidth - word.leadingZeroBitCount - 1) / 4 * 4)
        while shift >= 0 {
            let digit = UInt8(truncatingIfNeeded: word >> UInt(shift)) & 0xF
            bytes.append(digit < 10 ? 0x30 + digit : 0x57 + digit)
            shift -= 4
        }
    }

    /// Appends `name: value CRLF` after checking both; nothing of it if `name` is the writer's own to say in `message`.
    mutating func field(_ name: String, _ value: String, in message: MessageKind? = nil) throws(WireError) {
        let name = name.utf8Span.span
        guard name.isToken(0..<name.count) else { throw .unwritableField }
        if let message, message.owns(name) { return }
        let value = value.utf8Span.span
        guard value.endOfFieldText(0..<value.count) == value.count else { throw .unwritableField }
        try appendLine(name, value)
    }

    /// Appends `name: value CRLF` by one look at the array instead of six.
    private mutating func appendLine(_ name: Span<UInt8>, _ value: Span<UInt8>) throws(WireError) {
        let length = name.count + value.count + 4
        try bytes.append(addingCapacity: length) { (output) throws(WireError) in
            // Sound: behind what is written there is room for `length` bytes, which are all of them initialized.
            try output.withUnsafeMutableBufferPointer { (room, written) throws(WireError) in
                guard let start = room.baseAddress, room.count - written >= length else { throw .unwritableField }
                let line = start + written
                name.withUnsafeBufferPointer { line.initialize(from: $0) }
                line[name.count] = .colon
                line[name.count + 1] = .space
                let text = line + (name.count + 2)
                value.withUnsafeBufferPointer { text.initialize(from: $0) }
                text[value.count] = .carriageReturn
                text[value.count + 1] = .lineFeed
                written += length
            }
        }
    }

    /// Likewise for a value that need not be UTF-8.
    mutating func field(_ name: String, opaque value: [UInt8]) throws(WireError) {
        guard append(text: name, ifAll: { $0.isToken(0..<$0.count) }),
            value.span.endOfFieldText(0..<value.count) == value.count
        else { throw .unwritableField }
        append(": ")
        append(value)
        append("\r\n")
    }

    /// Appends those of `headers` that are not the writer's own business.
    mutating func fields(_ headers: [(String, String)], of message: MessageKind) throws(WireError) {
        // By index: taking a pair out of the array would count both texts up and down.
        for index in headers.indices { try field(headers[index].0, headers[index].1, in: message) }
    }
}

extension UnsafeMutablePointer {
    /// Copies all of `source`, for which there must be room.
    fileprivate func initialize(from source: UnsafeBufferPointer<Pointee>) {
        if let first = source.baseAddress { initialize(from: first, count: source.count) }
    }
}
