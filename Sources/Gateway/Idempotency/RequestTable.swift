import Synchronization

/// The repeatable requests that are being answered, and the last of those that were, with digests of their whole bodies.
final class RequestTable: Sendable {
    /// Answered requests that are remembered here; older ones are told by what the vault keeps.
    private static let remembered = 65_536

    private enum Entry {
        case running(whole: [UInt8])
        case answered(whole: [UInt8], until: Int64)

        var whole: [UInt8] {
            switch self {
            case .running(let whole), .answered(let whole, _): whole
            }
        }
    }

    private struct State {
        var entries: [[UInt8]: Entry] = [:]
        /// Names of answered requests in the order of their answers; those before `first` are done with.
        var answered: [[UInt8]] = []
        var first = 0
    }

    private let state = Mutex(State())

    enum Standing {
        /// The caller of this is to answer it, and must call `end`.
        case mine
        /// Somebody else is about to answer it.
        case running
        /// It has been answered.
        case answered
        /// The key was used for another body.
        case other
    }

    /// - Parameter now: Unix seconds.
    func begin(_ request: RepeatableRequest, now: Int64) -> Standing {
        state.withLock { state in
            switch state.entries[request.name] {
            case .answered(let whole, let until) where until > now:
                return whole == request.whole ? .answered : .other
            case .running(let whole): return whole == request.whole ? .running : .other
            case .answered, nil:
                state.entries[request.name] = .running(whole: request.whole)
                return .mine
            }
        }
    }

    /// Ends what `begin` gave out.
    ///
    /// - Parameter until: until when its answer is kept, if it is.
    func end(_ request: RepeatableRequest, keptUntil until: Int64?) {
        state.withLock { state in
            guard let until else {
                state.entries[request.name] = nil
                return
            }
            state.entries[request.name] = .answered(whole: request.whole, until: until)
            state.answered.append(request.name)
            while state.answered.count - state.first > Self.remembered { Self.forgetOldest(&state) }
            if state.first > Self.remembered {
                state.answered.removeFirst(state.first)
                state.first = 0
            }
        }
    }

    private static func forgetOldest(_ state: inout State) {
        let name = state.answered[state.first]
        if case .answered? = state.entries[name] { state.entries[name] = nil }
        state.first += 1
    }
}
