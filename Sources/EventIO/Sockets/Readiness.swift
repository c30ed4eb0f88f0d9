/// Which operations on a socket may succeed, judged by the kernel's signals and by what calls have found since.
///
/// The socket is registered for edges (`EPOLLET`): epoll reports a change once. So a signal is remembered here until a call
/// finds the socket exhausted. A value without I/O.
struct Readiness {
    enum Reading: Equatable {
        /// A read found nothing: only a signal makes another read worthwhile.
        case exhausted
        /// A read returned less than it had room for, which has probably emptied the socket. Not certain: a reset that arrives
        /// with those bytes gives no further edge. So before a wait another read must find nothing, or a write must succeed.
        case presumedExhausted
        /// The kernel has signalled bytes, and no read has emptied the socket since.
        case signalled
        /// The peer has closed its side (`EPOLLRDHUP`): however short a read is, the end is still to be read.
        case closing
    }

    enum Writing: Equatable {
        /// A write found no room, or the socket is not connected yet: only a signal makes another write worthwhile.
        case exhausted
        /// The kernel has signalled room.
        case signalled
    }

    private(set) var reading = Reading.exhausted
    private(set) var writing = Writing.exhausted

    /// Whether an operation of `interest` may succeed.
    func allows(_ interest: Interest) -> Bool {
        (interest.contains(.read) && (reading == .signalled || reading == .closing))
            || (interest.contains(.write) && writing == .signalled)
    }

    /// The kernel has signalled an edge.
    mutating func signal(_ edges: Interest, peerHasClosed: Bool) {
        if peerHasClosed {
            reading = .closing
        } else if edges.contains(.read), reading != .closing {
            reading = .signalled
        }
        if edges.contains(.write) { writing = .signalled }
    }

    /// An operation found that it has to wait for `interest`. Also ends `closing`: that state would be a busy loop otherwise.
    mutating func exhaust(_ interest: Interest) {
        if interest.contains(.read) { reading = .exhausted }
        if interest.contains(.write) { writing = .exhausted }
    }

    /// A read returned less than it had room for.
    mutating func readShort() {
        if reading != .closing { reading = .presumedExhausted }
    }

    /// A write succeeded, or will report a reset when it is made: no read is needed to notice one.
    mutating func confirmPresumption() {
        if reading == .presumedExhausted { reading = .exhausted }
    }

    /// Sending failed. The bytes that the peer sent before are to be read first.
    mutating func sendFailed() {
        if reading != .closing { reading = .signalled }
    }

    /// Whether a wait for `interest` can end at once. A presumption is given up: one more read is due.
    mutating func allowsBeforeWait(_ interest: Interest) -> Bool {
        if interest.contains(.read), reading == .presumedExhausted { reading = .signalled }
        return allows(interest)
    }
}
