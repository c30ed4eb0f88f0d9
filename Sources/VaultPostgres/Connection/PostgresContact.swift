import Threads

/// What the threads of a store know of the server together, those that write and those that read: when a connection was last made, and how
/// many each of the two kinds has.
///
/// A server may grant fewer connections than there are threads. Then the threads that have one carry the requests out, and those that were
/// refused one leave the requests to them. Each kind has one before the other has a second: for a kind that was refused its first, the
/// other gives one up.
final class PostgresContact: Sendable {
    private struct Kind {
        /// Threads that have a connection, as far as they know.
        var connected = 0
        /// Whether it was refused a connection when it had none, and has had none since. Until then the other kind makes no second one.
        var isLacking = false
        /// Whether the other kind is to give one up for it.
        var isAsking = false
        /// When the other kind was last asked; nil since there is one.
        var asked: ContinuousClock.Instant?
        /// Has threads of the kind that wait for requests look whether they are asked.
        var call: @Sendable () -> Void = {}
    }

    private struct State {
        /// When a connection was last made, or given up for another.
        var last: ContinuousClock.Instant?
        /// What was last told of why connections fail, and when; without the reason once one was made.
        var told: (reason: String?, at: ContinuousClock.Instant)?
        var (reading, writing) = (Kind(), Kind())

        subscript(writing isWriting: Bool) -> Kind {
            get { isWriting ? writing : reading }
            set { if isWriting { writing = newValue } else { reading = newValue } }
        }

        func isLater(than time: ContinuousClock.Instant) -> Bool { last.map { $0 >= time } ?? false }
    }

    private let state = Monitor(State())

    /// - Parameter call: has threads of the kind that wait for requests look whether one is to give its connection up.
    func register(writing: Bool, call: @escaping @Sendable () -> Void) {
        state.withLock { $0[writing: writing].call = call }
    }

    // MARK: What has happened

    /// A connection was made: the server is back for all.
    func note(_ now: ContinuousClock.Instant) {
        state.withLock { state in
            state.last = max(state.last ?? now, now)
            state.told?.reason = nil
        }
        state.wakeAll()
    }

    /// A thread of the kind has a connection now, or has none any more.
    func note(connected: Bool, writing: Bool) {
        state.withLock { state in
            state[writing: writing].connected += connected ? 1 : -1
            guard connected else { return }
            state[writing: writing].isLacking = false
            state[writing: writing].isAsking = false
            state[writing: writing].asked = nil
        }
        state.wakeAll()
    }

    /// Refusals may have another reason than their number, which a connection less does not mend.
    private static let betweenQuestions = Duration.seconds(10)

    /// A thread of the kind was refused a connection. If the kind has none, the other one is asked for one, which takes a moment to be free
    /// for it, and for another ten seconds later.
    func noteRefusal(writing: Bool, at now: ContinuousClock.Instant = .now) {
        let call = state.withLock { state -> (@Sendable () -> Void)? in
            guard state[writing: writing].connected == 0 else { return nil }
            state[writing: writing].isLacking = true
            guard state[writing: !writing].connected > 1 else { return nil }
            if let asked = state[writing: writing].asked, now - asked < Self.betweenQuestions { return nil }
            state[writing: writing].asked = now
            state[writing: writing].isAsking = true
            return state[writing: !writing].call
        }
        call?()
    }

    // MARK: What a thread may do

    /// Whether a connection was made since then.
    func isLater(than time: ContinuousClock.Instant) -> Bool { state.withLock { $0.isLater(than: time) } }

    /// Whether a thread of the kind has a connection.
    func hasConnection(writing: Bool) -> Bool { state.withLock { $0[writing: writing].connected > 0 } }

    /// Whether a thread of the kind may try to make a connection: the first of its kind, or one that the other kind does not lack.
    func mayConnect(writing: Bool) -> Bool {
        state.withLock { $0[writing: writing].connected == 0 || !$0[writing: !writing].isLacking }
    }

    /// Whether the thread that asks is to give its connection up for the other kind. True for one of them, and while the kind has another.
    func isAskedForOne(writing: Bool) -> Bool {
        state.withLock { state in
            guard state[writing: !writing].isAsking, state[writing: writing].connected > 1 else { return false }
            state[writing: !writing].isAsking = false
            return true
        }
    }

    /// A connection was given up for the other kind, which need not rest any longer.
    func noteGivenUp(at now: ContinuousClock.Instant = .now) { state.withLock { $0.last = max($0.last ?? now, now) } }

    /// Waits until a thread may try again to make a connection, or until no other of its kind has one: then it has to tell those who wait.
    ///
    /// - Parameters:
    ///   - time: when it may try in any case.
    ///   - began: when its last attempt did. It may also try once another thread has made a connection since.
    func wait(until time: ContinuousClock.Instant, since began: ContinuousClock.Instant, writing: Bool) {
        state.wait { state, isDue in
            let isBack = state.isLater(than: began) && !state[writing: !writing].isLacking
            let isOver = isDue || .now >= time || isBack || state[writing: writing].connected == 0
            return isOver ? .found(()) : .sleep(until: time)
        }
    }

    // MARK: What is told of it

    private static let shortestSilence = Duration.seconds(10)

    /// Whether it is to be told why a connection could not be made: once an outage, again when the reason changes, and every ten seconds at
    /// the most.
    func isNews(_ reason: String, at now: ContinuousClock.Instant = .now) -> Bool {
        state.withLock { state in
            if let told = state.told, told.reason == reason || now - told.at < Self.shortestSilence { return false }
            state.told = (reason, now)
            return true
        }
    }
}
