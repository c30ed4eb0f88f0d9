import CLibevent
import Glibc

extension Socket {
    /// Reads what is there. Throws `connectionLost` after a reset, or after an end under TLS without `close_notify`
    /// (RFC 8446 section 6.1: it may be a truncation by an attacker).
    public func receive(into buffer: UnsafeMutableRawBufferPointer) throws(IOError) -> Received {
        try checkInterruption()
        recordOperation()
        if let session {
            let received = try session.read(into: buffer)
            if case .wait(let interest) = received { readiness.exhaust(interest) }
            return received
        }
        while true {
            let count = cloakroom_receive(descriptor, buffer.baseAddress, buffer.count)
            if count > 0 {
                if count < buffer.count { readiness.readShort() }
                return .bytes(count)
            }
            switch CInt(-count) {
            case 0: return .end
            case EINTR: continue
            case EAGAIN:
                readiness.exhaust(.read)
                return .wait(.read)
            default: throw .connectionLost
            }
        }
    }

    /// Copies the bytes that are there, and leaves them in the kernel's buffer. Only before TLS. Throws as `receive` does.
    func peek(into buffer: UnsafeMutableRawBufferPointer) throws(IOError) -> Received {
        try checkInterruption()
        while true {
            let count = cloakroom_peek(descriptor, buffer.baseAddress, buffer.count)
            if count > 0 { return .bytes(count) }
            switch CInt(-count) {
            case 0: return .end
            case EINTR: continue
            case EAGAIN:
                readiness.exhaust(.read)
                return .wait(.read)
            default: throw .connectionLost
            }
        }
    }

    /// Copies the bytes that are there into `buffer`, and leaves them in the kernel's buffer. Only before TLS. To get more bytes than
    /// these, call `awaitMore()`.
    package func peek(into buffer: inout [UInt8]) throws(IOError) -> Received {
        try buffer.withUnsafeMutableBufferPointer { (bytes) throws(IOError) in
            try peek(into: UnsafeMutableRawBufferPointer(bytes))
        }
    }

    /// Suspends until bytes arrive in addition to those that `peek` has found. Throws as `wait` does.
    package func awaitMore() async throws(IOError) {
        readiness.exhaust(.read)
        try await wait(for: .read)
    }

    /// Reads what is there into `buffer` from its start, up to its count and no more than `limit` bytes.
    public func receive(into buffer: inout [UInt8], atMost limit: Int = .max) throws(IOError) -> Received {
        try buffer.withUnsafeMutableBufferPointer { (bytes) throws(IOError) in
            try receive(into: UnsafeMutableRawBufferPointer(UnsafeMutableBufferPointer(rebasing: bytes.prefix(limit))))
        }
    }

    /// How many milliseconds ago the peer's last bytes reached the kernel, in which they may have waited; 0 if that is unknown.
    public var millisecondsSinceLastBytes: Int64 { isClosed ? 0 : Int64(cloakroom_since_last_bytes(descriptor)) }

    /// Whether there is neither a byte nor an end to read, by asking the kernel. Under TLS this processes messages of TLS itself,
    /// such as session tickets. A byte that is there is lost: to be used where any byte makes the connection useless. Throws as
    /// `receive` does.
    public func isQuiet() throws(IOError) -> Bool {
        var byte: UInt8 = 0
        let received = try withUnsafeMutableBytes(of: &byte) { (byte) throws(IOError) in try receive(into: byte) }
        return received == .wait(.read)
    }

    /// Reads into `buffer`, waiting for at least one byte; 0 at the end of the connection.
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
