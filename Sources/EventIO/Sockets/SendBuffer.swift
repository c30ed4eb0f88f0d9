/// The bytes of one socket that were to be sent and that the kernel has not taken. A value without I/O.
struct SendBuffer {
    enum State {
        /// Everything that was to be sent has been taken.
        case clear
        /// The peer reads slower than it is written to: these bytes, never none, wait for room.
        case behind([UInt8])
        /// Sending failed. Nothing more can be sent; bytes that the peer sent before can still be read.
        case failed(IOError)
    }

    private(set) var state = State.clear
    /// Whether the loop's output queue holds bytes for this socket.
    var hasQueued = false
    /// How many bytes the kernel, or TLS, has taken since the socket was made.
    private(set) var sentCount = 0

    var isBehind: Bool { if case .behind = state { true } else { false } }

    var unsentCount: Int { if case .behind(let unsent) = state { unsent.count } else { 0 } }

    var failure: IOError? { if case .failed(let error) = state { error } else { nil } }

    /// The kernel has taken `count` bytes.
    mutating func sent(_ count: Int) { sentCount &+= count }

    /// Appends bytes that the kernel has not taken. Ignored after a failure.
    mutating func append(_ bytes: some Collection<UInt8>) {
        guard !bytes.isEmpty else { return }
        switch state {
        case .clear: state = .behind(Array(bytes))
        case .behind(var unsent):
            // The state gives up its reference first, so that appending does not copy the array.
            state = .clear
            unsent.append(contentsOf: bytes)
            state = .behind(unsent)
        case .failed: break
        }
    }

    /// Moves the unsent bytes out for another attempt; what is left of them comes back by `putBack`.
    mutating func takeUnsent() -> [UInt8] {
        guard case .behind(let unsent) = state else { return [] }
        state = .clear
        return unsent
    }

    /// Ends an attempt after the kernel has taken the first `count` bytes. Wipes what is not needed any more.
    mutating func putBack(_ unsent: consuming [UInt8], dropping count: Int) {
        guard case .clear = state, count < unsent.count else { return wipe(&unsent, first: unsent.count) }
        unsent.removeFirst(count)
        state = .behind(unsent)
    }

    /// Sending failed. The first failure stays.
    mutating func fail(_ error: IOError) {
        if case .failed = state { return }
        discard()
        state = .failed(error)
    }

    /// Wipes the unsent bytes.
    mutating func discard() {
        guard case .behind(var unsent) = state else { return }
        state = .clear
        wipe(&unsent, first: unsent.count)
    }
}
