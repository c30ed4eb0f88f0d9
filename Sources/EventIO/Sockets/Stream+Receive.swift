import CLibevent
import Glibc

/// What a read that does not wait found.
public enum Received: Equatable, Sendable {
    /// That many bytes, at least one.
    case bytes(Int)
    /// The peer has ended its side in good order; under TLS with `close_notify`.
    case end
    /// Nothing yet: `wait(for:)` this, then read again.
    case wait(Interest)
}

extension Stream {
    /// Reads what is there. Throws `connectionLost` after a reset, or an end under TLS that the peer did not announce
    /// (RFC 8446 section 6.1: it may be an attacker's truncation).
    public func receive(into buffer: UnsafeMutableRawBufferPointer) throws(IOError) -> Received {
        try checkHalt()
        if let session {
            let received = try session.read(into: buffer)
            if case .wait(let interest) = received { ready.remove(interest) }
            return received
        }
        while true {
            let count = cloakroom_receive(descriptor, buffer.baseAddress, buffer.count)
            if count > 0 {
                // A short read has emptied the socket; a peer's close that came along with the bytes must still be read.
                if count < buffer.count, !peerHasClosed {
                    ready.remove(.read)
                    isEmptyByInference = true
                }
                return .bytes(count)
            }
            switch CInt(-count) {
            case 0: return .end
            case EINTR: continue
            case EAGAIN:
                ready.remove(.read)
                isEmptyByInference = false
                return .wait(.read)
            default: throw .connectionLost
            }
        }
    }

    /// Reads what is there into `buffer` from its start, up to its count and no more than `limit` bytes.
    public func receive(into buffer: inout [UInt8], atMost limit: Int = .max) throws(IOError) -> Received {
        try buffer.withUnsafeMutableBufferPointer { (bytes) throws(IOError) in
            try receive(into: UnsafeMutableRawBufferPointer(UnsafeMutableBufferPointer(rebasing: bytes.prefix(limit))))
        }
    }

    /// Whether there is neither a byte nor an end to read, by asking the kernel. Under TLS takes in what is TLS's own business,
    /// such as session tickets. A byte that is there is lost: whoever asks has no use for one. Throws as `receive` does.
    public func isQuiet() throws(IOError) -> Bool {
        var byte: UInt8 = 0
        let received = try withUnsafeMutableBytes(of: &byte) { (byte) throws(IOError) in try receive(into: byte) }
        return received == .wait(.read)
    }

    /// Reads into `buffer`, waiting for at least one byte; 0 at the end of the stream.
    public func read(into buffer: inout [UInt8]) async throws(IOError) -> Int {
        while true {
            switch try receive(into: &buffer) {
            case .bytes(let count): return count
            case .end: return 0
            case .wait(let interest): try await wait(for: interest)
            }
        }
    }
}
