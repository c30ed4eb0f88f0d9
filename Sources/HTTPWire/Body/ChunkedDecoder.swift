/// A body sent in chunks (RFC 9112 section 7.1). Extensions and trailers are checked and dropped.
public struct ChunkedDecoder: Sendable {
    /// The maximum size of all extensions in one body, in bytes.
    private static let maximumExtensionBytes = 4096

    private enum State {
        case line(ChunkLine)
        case data
        case carriageReturn
        case lineFeed
        case trailers(TrailerSection)
        case complete
    }

    private var state = State.line(ChunkLine())
    /// The bytes of the current chunk that are still to come.
    private var remaining = 0
    /// The part of the limit on the body that is not used yet.
    private var allowance: Int
    private var extensionBytes = 0

    /// - Parameter limit: the maximum payload of all chunks together, in bytes.
    public init(limit: Int) {
        allowance = limit
    }

    /// Whether the last chunk and the trailer have been read.
    public var isComplete: Bool {
        if case .complete = state { true } else { false }
    }

    /// Appends the body's payload in `buffer` to `payload`.
    ///
    /// Throws ``WireError/bodyTooLarge`` as soon as a chunk is announced that would exceed the limit.
    public mutating func decode(
        _ buffer: Span<UInt8>, into payload: inout [UInt8]
    ) throws(WireError) -> BodyProgress {
        var index = 0
        while index < buffer.count {
            switch state {
            case .complete: return BodyProgress(consumed: index, isComplete: true)
            case .data: index += copyData(buffer.extracting(index..<buffer.count), into: &payload)
            default:
                try parse(buffer[index])
                index += 1
            }
        }
        return BodyProgress(consumed: index, isComplete: isComplete)
    }

    /// Copies the part of the chunk that has come, and returns its size.
    private mutating func copyData(_ buffer: Span<UInt8>, into payload: inout [UInt8]) -> Int {
        let count = min(buffer.count, remaining)
        buffer.extracting(0..<count).append(to: &payload)
        remaining -= count
        if remaining == 0 { state = .carriageReturn }
        return count
    }

    private mutating func parse(_ byte: UInt8) throws(WireError) {
        switch state {
        case .line(let line): try parse(byte, in: line)
        case .carriageReturn:
            guard byte == .carriageReturn else { throw .junkAfterChunk }
            state = .lineFeed
        case .lineFeed:
            guard byte == .lineFeed else { throw .junkAfterChunk }
            state = .line(ChunkLine())
        case .trailers(var trailers):
            state = try trailers.parse(byte) ? .complete : .trailers(trailers)
        case .data, .complete: break
        }
    }

    private mutating func parse(_ byte: UInt8, in line: ChunkLine) throws(WireError) {
        var line = line
        if line.isInExtension {
            extensionBytes += 1
            guard extensionBytes <= ChunkedDecoder.maximumExtensionBytes else { throw .chunkExtensionsTooLong }
        }
        guard let size = try line.parse(byte) else {
            state = .line(line)
            return
        }
        guard size <= allowance else { throw .bodyTooLarge }
        allowance -= size
        remaining = size
        state = size == 0 ? .trailers(TrailerSection()) : .data
    }
}
