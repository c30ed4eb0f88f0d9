/// Parses the line before a chunk, a byte at a time: `chunk-size [chunk-ext] CRLF` (RFC 9112 section 7.1).
struct ChunkLine: Sendable {
    private enum State {
        case size
        case blankAfterSize
        case beforeName
        case name
        case afterName
        case beforeValue
        case value
        case quoted
        case escaped
        case afterQuoted
        case afterValue
        case lineFeed
    }

    /// Sixteen digits are enough for any size that fits into an `Int`.
    private static let maximumDigits = 16

    private var state = State.size
    private var digits = 0
    private var size = 0

    /// Whether the next byte belongs to an extension, or to the blanks before it.
    var isInExtension: Bool { state != .size && state != .lineFeed }

    /// Parses one byte. Returns the size of the chunk if it was the last byte of the line.
    mutating func parse(_ byte: UInt8) throws(WireError) -> Int? {
        switch state {
        case .size: try parseSize(byte)
        case .lineFeed:
            guard byte == .lineFeed else { throw .bareCarriageReturn }
            return size
        case .blankAfterSize:
            guard byte.isBlank || byte == .semicolon else { throw .malformedChunkSize }
            if byte == .semicolon { state = .beforeName }
        default: try parseExtension(byte)
        }
        return nil
    }

    private mutating func parseSize(_ byte: UInt8) throws(WireError) {
        if let value = byte.hexValue {
            digits += 1
            // A sixteenth digit could change the sign.
            guard digits <= ChunkLine.maximumDigits, size < 1 << 59 else { throw .malformedChunkSize }
            size = size << 4 | Int(value)
            return
        }
        guard digits > 0 else { throw .malformedChunkSize }
        switch byte {
        case .carriageReturn: state = .lineFeed
        case .semicolon: state = .beforeName
        case .space, .tab: state = .blankAfterSize
        case .lineFeed: throw .bareLineFeed
        default: throw .malformedChunkSize
        }
    }

    /// `*( BWS ";" BWS name [ BWS "=" BWS ( token / quoted-string ) ] )` (RFC 9112 section 7.1.1). Checked, so that it cannot
    /// contain anything else, and ignored.
    private mutating func parseExtension(_ byte: UInt8) throws(WireError) {
        let isToken = ByteSet.token.contains(byte)
        switch state {
        case .beforeName where isToken: state = .name
        case .beforeName where byte.isBlank: break
        case .name where isToken: break
        case .name where byte == .equals, .afterName where byte == .equals: state = .beforeValue
        case .name where byte.isBlank, .afterName where byte.isBlank: state = .afterName
        case .beforeValue where isToken: state = .value
        case .beforeValue where byte == .quote: state = .quoted
        case .beforeValue where byte.isBlank: break
        case .value where isToken: break
        case .quoted where byte == .quote: state = .afterQuoted
        case .quoted where byte == .backslash: state = .escaped
        case .quoted where byte.isFieldText: break
        case .escaped where byte.isFieldText: state = .quoted
        case .value where byte.isBlank, .afterQuoted where byte.isBlank, .afterValue where byte.isBlank:
            state = .afterValue
        case .name where byte == .semicolon, .afterName where byte == .semicolon, .value where byte == .semicolon,
            .afterQuoted where byte == .semicolon, .afterValue where byte == .semicolon:
            state = .beforeName
        case .name where byte == .carriageReturn, .value where byte == .carriageReturn,
            .afterQuoted where byte == .carriageReturn:
            state = .lineFeed
        default: throw .malformedChunkExtension
        }
    }
}

extension UInt8 {
    fileprivate static let equals = UInt8(ascii: "=")
    fileprivate static let quote = UInt8(ascii: "\"")
    fileprivate static let backslash = UInt8(ascii: "\\")
}
