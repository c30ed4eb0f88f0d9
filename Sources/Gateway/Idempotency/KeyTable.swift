import Synchronization

/// The keys of this process: those whose request is running, and the last of those that have finished, with the digest of their whole
/// request.
final class KeyTable: Sendable {
    /// Finished keys that are remembered here. For older ones only the stored digest is compared, without the fields that are never
    /// stored.
    private static let finishedLimit = 65_536

    private enum Entry {
        case running(whole: [UInt8])
        case finished(whole: [UInt8], until: Int64)
    }

    private struct State {
        var entries: [[UInt8]: Entry] = [:]
        /// Names of finished requests in order, with when they expire: a key that finished again later is there twice. Those before
        /// `first` were removed.
        var finished: [(name: [UInt8], until: Int64)] = []
        var first = 0
    }

    private let state = Mutex(State())

    enum Outcome {
        /// The caller is to carry out the request, and must call `end`.
        case started
        /// The same request is running.
        case running
        /// The same request has finished.
        case finished
        /// The key is that of another request.
        case other
    }

    /// - Parameter now: Unix seconds.
    func begin(_ request: RequestIdentity, now: Int64) -> Outcome {
        state.withLock { state in
            switch state.entries[request.name] {
            case .finished(let whole, let until) where until > now:
                return whole == request.whole ? .finished : .other
            case .running(let whole): return whole == request.whole ? .running : .other
            case .finished, nil:
                state.entries[request.name] = .running(whole: request.whole)
                return .started
            }
        }
    }

    /// Ends what `begin` has started.
    ///
    /// - Parameter until: when the key expires (Unix seconds); nil if it was released.
    func end(_ request: RequestIdentity, until: Int64?) {
        state.withLock { state in
            guard let until else {
                state.entries[request.name] = nil
                return
            }
            state.entries[request.name] = .finished(whole: request.whole, until: until)
            state.finished.append((request.name, until))
            while state.finished.count - state.first > Self.finishedLimit { Self.forgetOldest(&state) }
            if state.first > Self.finishedLimit {
                state.finished.removeFirst(state.first)
                state.first = 0
            }
        }
    }

    private static func forgetOldest(_ state: inout State) {
        let (name, until) = state.finished[state.first]
        if case .finished(_, until)? = state.entries[name] { state.entries[name] = nil }
        state.first += 1
    }
}
