import Glibc

extension Socket {
    /// Whether the peer has ended or is gone, which `peek` does not see as long as there are bytes before the end.
    package var peerHasEnded: Bool {
        // `POLLRDHUP` of Linux, which Swift does not see.
        isSignalled(0x2000)
    }

    /// Whether nothing can reach the peer: it has reset the connection, or sending has failed. That it has ended its own sending
    /// says nothing of that: it may still read (RFC 9112 section 9.6).
    package var peerIsGone: Bool { isClosed || hasLostPeer || isSignalled(0) }

    /// Whether there is one of these events, a reset, or a failure. Those are reported whatever is asked for.
    private func isSignalled(_ events: Int16) -> Bool {
        guard !isClosed else { return false }
        var entry = pollfd(fd: descriptor, events: events, revents: 0)
        return poll(&entry, 1, 0) > 0
    }
}
