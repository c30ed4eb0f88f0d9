/// Parses the trailer lines after the last chunk, a byte at a time (RFC 9112 section 7.1.2). They must have the grammar of header
/// lines, and are dropped: a trailer must not change the meaning of the head.
struct TrailerSection: Sendable {
    /// The maximum size of all lines together, in bytes.
    static let maximumBytes = 8192

    private enum State {
        case start
        case name
        case value
        case lineFeed
        case lastLineFeed
    }

    private var state = State.start
    private var count = 0

    /// Parses one byte. Returns whether it was the last of the message.
    mutating func parse(_ byte: UInt8) throws(WireError) -> Bool {
        count += 1
        guard count <= TrailerSection.maximumBytes else { throw .trailersTooLarge }
        switch state {
        case .start where byte == .carriageReturn: state = .lastLineFeed
        case .start where ByteSet.token.contains(byte): state = .name
        case .name where ByteSet.token.contains(byte): break
        case .name where byte == .colon: state = .value
        case .value where byte.isFieldText: break
        case .value where byte == .carriageReturn: state = .lineFeed
        case .lineFeed where byte == .lineFeed: state = .start
        case .lastLineFeed where byte == .lineFeed: return true
        case .lineFeed, .lastLineFeed: throw .bareCarriageReturn
        default: throw byte == .lineFeed ? .bareLineFeed : .malformedTrailer
        }
        return false
    }
}
