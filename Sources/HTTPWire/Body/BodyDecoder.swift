/// Reads the body of one message of any framing.
///
/// Bytes are passed in as they come; the payload is appended to an array of the caller. After an error, every call throws the
/// same error.
public struct BodyDecoder: Sendable {
    private enum Kind {
        case none
        case fixedLength(FixedLengthDecoder)
        case chunked(ChunkedDecoder)
        case untilClose(UntilCloseDecoder)
        case failed(WireError)
    }

    private var kind: Kind

    /// A decoder for a body of at most `limit` bytes.
    ///
    /// Throws ``WireError/bodyTooLarge`` if the head announces more, so that a client waiting for `100 Continue` can be
    /// refused before it sends anything.
    public init(_ framing: BodyFraming, limit: Int) throws(WireError) {
        switch framing {
        case .none: kind = .none
        case .length(let length): kind = .fixedLength(try FixedLengthDecoder(length: length, limit: limit))
        case .chunked: kind = .chunked(ChunkedDecoder(limit: limit))
        case .untilClose: kind = .untilClose(UntilCloseDecoder(limit: limit))
        }
    }

    /// Whether the body has been read to its end. Never true for a body that ends with its connection.
    public var isComplete: Bool {
        switch kind {
        case .none: true
        case .fixedLength(let decoder): decoder.isComplete
        case .chunked(let decoder): decoder.isComplete
        case .untilClose, .failed: false
        }
    }

    /// Appends the body's payload in `buffer` to `payload`.
    public mutating func decode(
        _ buffer: Span<UInt8>, into payload: inout [UInt8]
    ) throws(WireError) -> BodyProgress {
        do throws(WireError) {
            return try advance(buffer, into: &payload)
        } catch {
            kind = .failed(error)
            throw error
        }
    }

    /// To be called when the connection has ended. Throws ``WireError/truncated`` if the body is incomplete.
    public func finish() throws(WireError) {
        switch kind {
        case .untilClose: return
        case .failed(let error): throw error
        case .none, .fixedLength, .chunked:
            guard isComplete else { throw .truncated }
        }
    }

    private mutating func advance(
        _ buffer: Span<UInt8>, into payload: inout [UInt8]
    ) throws(WireError) -> BodyProgress {
        switch kind {
        case .none: return BodyProgress(consumed: 0, isComplete: true)
        case .failed(let error): throw error
        case .fixedLength(var decoder):
            let progress = decoder.decode(buffer, into: &payload)
            kind = .fixedLength(decoder)
            return progress
        case .chunked(var decoder):
            let progress = try decoder.decode(buffer, into: &payload)
            kind = .chunked(decoder)
            return progress
        case .untilClose(var decoder):
            let progress = try decoder.decode(buffer, into: &payload)
            kind = .untilClose(decoder)
            return progress
        }
    }
}

/// The result of one call of a body decoder.
public struct BodyProgress: Sendable, Hashable {
    /// How many bytes belong to the body and are not to be passed in again. Less than all only when the body is complete.
    public let consumed: Int
    /// Whether the body has ended; what follows belongs to the next message.
    public let isComplete: Bool
}

/// A body that ends with its connection (RFC 9112 section 6.3, item 8). Whether it is complete cannot be known.
public struct UntilCloseDecoder: Sendable {
    private var allowance: Int

    /// A body of at most so many bytes.
    public init(limit: Int) {
        allowance = limit
    }

    /// Appends all of `buffer` to `payload`. Throws ``WireError/bodyTooLarge`` once there is more than the limit.
    public mutating func decode(
        _ buffer: Span<UInt8>, into payload: inout [UInt8]
    ) throws(WireError) -> BodyProgress {
        guard buffer.count <= allowance else { throw .bodyTooLarge }
        allowance -= buffer.count
        buffer.append(to: &payload)
        return BodyProgress(consumed: buffer.count, isComplete: false)
    }
}
