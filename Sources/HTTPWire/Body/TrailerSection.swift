/// The trailer lines after the last chunk, a byte at a time (RFC 9112 §7.1.2). They are held to the grammar of header
/// lines and dropped: none of them may change what the head said.
struct TrailerSection: Sendable {
    /// The most bytes of all lines together.
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

    /// Takes one byte; answers whether it was the last of the message.
    mutating func take(_ byte: UInt8) throws(WireError) -> Bool {
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
