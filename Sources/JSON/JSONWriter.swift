/// Writes one JSON text, compact, by appending bytes. It places the commas.
///
/// It does not check that the caller opens and closes containers in the right order; a test of the caller does.
public struct JSONWriter: ~Copyable {
    private var output: GrowingBytes
    private var needsComma = false

    /// - Parameter capacity: bytes to reserve; a good guess saves copies.
    public init(capacity: Int = 256) {
        output = GrowingBytes(capacity: capacity)
    }

    /// A copy of what has been written.
    public var bytes: [UInt8] { output.withBytes { [UInt8]($0) } }

    /// How many bytes have been written.
    public var count: Int { output.count }

    /// Writes `{`. Members follow, each a key and a value.
    public mutating func beginObject() { open(UInt8(ascii: "{")) }
    /// Writes `}`.
    public mutating func endObject() { close(UInt8(ascii: "}")) }
    /// Writes `[`. Values follow.
    public mutating func beginArray() { open(UInt8(ascii: "[")) }
    /// Writes `]`.
    public mutating func endArray() { close(UInt8(ascii: "]")) }

    /// The name of the next member. `name` must need no escaping.
    public mutating func key(_ name: StaticString) {
        string(name)
        endKey()
    }

    /// The name of the next member.
    public mutating func key(_ name: String) {
        string(name)
        endKey()
    }

    @inline(__always)
    mutating func endKey() {
        output.append(UInt8(ascii: ":"))
        needsComma = false
    }

    /// A string. `text` must need no escaping.
    public mutating func string(_ text: StaticString) {
        separate()
        output.append(UInt8(ascii: "\""))
        output.append(text)
        output.append(UInt8(ascii: "\""))
    }

    /// A string.
    public mutating func string(_ text: String) {
        separate()
        output.append(UInt8(ascii: "\""))
        appendEscaped(text.utf8Span.span)
        output.append(UInt8(ascii: "\""))
    }

    /// Begins a string that is written byte by byte.
    public mutating func beginString() {
        separate()
        output.append(UInt8(ascii: "\""))
    }

    /// Appends a byte to the string. The bytes must form whole characters of UTF-8.
    @inline(__always)
    public mutating func text(_ byte: UInt8) {
        if byte >= 0x20, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") {
            output.append(byte)
        } else {
            appendEscape(of: byte)
        }
    }

    /// Ends the string.
    public mutating func endString() {
        output.append(UInt8(ascii: "\""))
        needsComma = true
    }

    /// An array of strings.
    public mutating func strings(_ texts: [String]) {
        beginArray()
        for text in texts { string(text) }
        endArray()
    }

    /// A whole number.
    public mutating func number(_ value: Int) {
        separate()
        if value >= 0, value < 100 {
            let (tens, ones) = UInt8(truncatingIfNeeded: value).quotientAndRemainder(dividingBy: 10)
            if tens > 0 { output.append(UInt8(ascii: "0") + tens) }
            output.append(UInt8(ascii: "0") + ones)
        } else {
            output.append(String(value).utf8Span.span)
        }
    }

    /// Writes true or false.
    public mutating func bool(_ value: Bool) { word(value ? "true" : "false") }

    /// Writes null.
    public mutating func null() { word("null") }

    /// A whole value; numbers with the digits they came with.
    public mutating func value(_ value: JSONValue) {
        switch value {
        case .null: null()
        case .bool(let flag): bool(flag)
        case .number(let number):
            separate()
            output.append(number.text.utf8Span.span)
        case .string(let text): string(text)
        case .array(let elements):
            beginArray()
            let elements = elements.span
            for index in elements.indices { self.value(elements[index]) }
            endArray()
        case .object(let object):
            beginObject()
            let members = object.members.span
            for index in members.indices {
                key(members[index].key)
                self.value(members[index].value)
            }
            endObject()
        }
    }

    /// JSON text that is known to be one whole value, or a member with the beginning of its value.
    public mutating func verbatim(_ json: [UInt8]) { verbatim(json.span) }

    /// JSON text that is known to be one whole value.
    mutating func verbatim(_ json: Span<UInt8>) {
        separate()
        output.append(json)
    }

    /// Appends a piece of JSON text with its own commas; no comma is placed after it. For runs of members that are the same in
    /// every text.
    public mutating func raw(_ json: StaticString) {
        output.append(json)
        needsComma = false
    }

    /// Appends a piece of JSON text with its own commas; no comma is placed after it.
    public mutating func raw(_ json: [UInt8]) { raw(json.span) }

    /// Appends a piece of JSON text with its own commas; no comma is placed after it.
    public mutating func raw(_ json: Span<UInt8>) {
        output.append(json)
        needsComma = false
    }

    private mutating func word(_ word: StaticString) {
        separate()
        output.append(word)
    }

    private mutating func open(_ bracket: UInt8) {
        separate()
        output.append(bracket)
        needsComma = false
    }

    private mutating func close(_ bracket: UInt8) {
        output.append(bracket)
        needsComma = true
    }

    @inline(__always)
    private mutating func separate() {
        if needsComma { output.append(UInt8(ascii: ",")) }
        needsComma = true
    }

    /// Appends `text` in runs that need no escape (RFC 8259 section 7: quote, backslash and controls do).
    private mutating func appendEscaped(_ utf8: Span<UInt8>) {
        var position = 0
        while true {
            let end = utf8.plainText(from: position).end
            output.append(utf8.extracting(position..<end))
            guard end < utf8.count else { return }
            appendEscape(of: utf8[end])
            position = end + 1
        }
    }

    private mutating func appendEscape(of byte: UInt8) {
        output.append(UInt8(ascii: "\\"))
        switch byte {
        case 0x08: output.append(UInt8(ascii: "b"))
        case 0x09: output.append(UInt8(ascii: "t"))
        case 0x0A: output.append(UInt8(ascii: "n"))
        case 0x0C: output.append(UInt8(ascii: "f"))
        case 0x0D: output.append(UInt8(ascii: "r"))
        case 0x20...: output.append(byte)
        default:
            output.append("u00")
            output.append(UInt8(ascii: "0") + byte >> 4)
            output.append(String(byte & 0xF, radix: 16).utf8Span.span)
        }
    }
}
