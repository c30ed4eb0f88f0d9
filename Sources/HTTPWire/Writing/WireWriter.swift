/// Collects the bytes of messages to be sent, one after the other.
///
/// The writer itself writes the framing: `Content-Length`, `Transfer-Encoding` and `Connection` among the caller's headers
/// are left out, and so is `Host` in requests. A name that is not a token, or a value with a control character, is never
/// written: the call throws ``WireError/unwritableField`` and leaves ``bytes`` unchanged.
public struct WireWriter: Sendable {
    /// The bytes written so far.
    public internal(set) var bytes: [UInt8] = []

    /// An empty buffer with room for so many bytes.
    public init(capacity: Int = 0) {
        bytes.reserveCapacity(capacity)
    }

    /// A writer that takes over the memory of `memory`, which becomes empty; its content is dropped.
    public init(reusing memory: inout [UInt8]) {
        // Swapped: a second reference to the memory would make the first write copy it.
        swap(&bytes, &memory)
        bytes.removeAll(keepingCapacity: true)
    }

    /// Reserves capacity for `count` more bytes, at least doubling the size, so that many messages cost few moves.
    @inline(__always)
    mutating func reserveCapacity(_ count: Int) {
        if bytes.capacity - bytes.count < count { bytes.reserveCapacity(max(bytes.count + count, bytes.count * 2)) }
    }

    /// Returns the bytes written so far, and empties the writer.
    public mutating func take() -> [UInt8] {
        var taken: [UInt8] = []
        swap(&taken, &bytes)
        return taken
    }

    /// Runs `write`; if it throws, the bytes that it wrote are removed.
    @inline(__always)
    mutating func atomically(
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

    /// Appends `text` if `allowed` accepts it. Returns whether it did.
    @inline(__always)
    mutating func append(text: String, ifAll allowed: (Span<UInt8>) -> Bool) -> Bool {
        let utf8 = text.utf8Span.span
        guard allowed(utf8) else { return false }
        append(utf8)
        return true
    }

    @inline(__always)
    private mutating func append(_ run: Span<UInt8>) {
        // One `memcpy`: the standard library has none for a span. The pointer does not leave the closure.
        run.withUnsafeBufferPointer { bytes.append(contentsOf: $0) }
    }

    /// Appends bytes of a body unchanged.
    public mutating func append(_ body: [UInt8]) { append(body.span) }

    /// Appends lines that have been checked.
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

    /// Appends `name: value CRLF` after checking both; nothing if `name` is one that the writer itself writes in `message`.
    mutating func field(_ name: String, _ value: String, in message: MessageKind? = nil) throws(WireError) {
        let name = name.utf8Span.span
        guard name.isToken(0..<name.count) else { throw .unwritableField }
        if let message, message.owns(name) { return }
        let value = value.utf8Span.span
        guard value.endOfFieldText(0..<value.count) == value.count else { throw .unwritableField }
        try appendLine(name, value)
    }

    /// Appends `name: value CRLF` with one capacity check instead of six.
    private mutating func appendLine(_ name: Span<UInt8>, _ value: Span<UInt8>) throws(WireError) {
        let length = name.count + value.count + 4
        try bytes.append(addingCapacity: length) { (output) throws(WireError) in
            // Sound: there is room for `length` more bytes, which are all initialized.
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

    /// Appends `name: value CRLF` with a value that need not be UTF-8, after checking both.
    mutating func field(_ name: String, opaque value: [UInt8]) throws(WireError) {
        guard append(text: name, ifAll: { $0.isToken(0..<$0.count) }),
            value.span.endOfFieldText(0..<value.count) == value.count
        else { throw .unwritableField }
        append(": ")
        append(value)
        append("\r\n")
    }

    /// Appends those of `headers` that the writer does not write itself.
    mutating func fields(_ headers: [(String, String)], of message: MessageKind) throws(WireError) {
        // By index: an iterator would retain and release both strings of every pair.
        for index in headers.indices { try field(headers[index].0, headers[index].1, in: message) }
    }
}

extension UnsafeMutablePointer {
    /// Copies all of `source`; there must be room for it.
    fileprivate func initialize(from source: UnsafeBufferPointer<Pointee>) {
        if let first = source.baseAddress { initialize(from: first, count: source.count) }
    }
}

/// The kind of message, which determines the headers that only the writer may write.
enum MessageKind: Sendable {
    case request
    case response

    /// Whether `name`, a token, is a header that the writer writes itself.
    func owns(_ name: Span<UInt8>) -> Bool {
        switch KnownField.recognise(name, 0..<name.count) {
        case .contentLength, .transferEncoding, .connection: true
        case .host: self == .request
        case .expect, .contentType, .authorization, .origin, nil: false
        }
    }
}
