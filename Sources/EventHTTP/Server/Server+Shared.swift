import EventIO
import Synchronization

extension Server {
    /// What the loops of a server share: the number of clients, and the certificate.
    final class Shared: Sendable {
        enum Admission {
            case admitted
            /// Above the limit: gets an error response, unless another connection is displaced.
            case rejected
            /// So far above it that even the response would cost too much.
            case ignored
        }

        private let limit: Atomic<Int>
        /// The highest limit that there was: connections keep their places when it is lowered.
        private let highest: Atomic<Int>
        private let files: Int
        /// Whether connections start with a header of the PROXY protocol.
        let proxyProtocol: Bool
        private let clients = Atomic(0)
        private let served = Atomic(0)
        private let handshakesFailed = Atomic(0)
        private let displaced = Atomic(0)
        private let context: Mutex<TLSServerContext?>
        private let authorities = Atomic(0)

        /// - Parameter files: that the process may have open.
        init(maximum: Int, files: Int, secureContext: TLSServerContext?, proxyProtocol: Bool) {
            limit = Atomic(maximum)
            highest = Atomic(maximum)
            self.files = files
            self.proxyProtocol = proxyProtocol
            context = Mutex(secureContext)
        }

        /// Clients at once.
        var maximum: Int {
            get { limit.load(ordering: .relaxed) }
            set {
                highest.max(newValue, ordering: .relaxed)
                limit.store(newValue, ordering: .relaxed)
            }
        }

        var count: Int { clients.load(ordering: .relaxed) }

        var failedHandshakes: Int { handshakesFailed.load(ordering: .relaxed) }

        /// Connections that were displaced.
        var displacedCount: Int { displaced.load(ordering: .relaxed) }

        func recordDisplaced() { displaced.add(1, ordering: .relaxed) }

        func recordFailedHandshake() { handshakesFailed.add(1, ordering: .relaxed) }

        var secureContext: TLSServerContext? { context.withLock { $0 } }

        /// How often the authority of the clients' certificates has been replaced.
        var authorityChanges: Int { authorities.load(ordering: .relaxed) }

        func replaceContext(_ new: TLSServerContext, hasOtherAuthority: Bool) {
            context.withLock { $0 = new }
            if hasOtherAuthority { authorities.add(1, ordering: .relaxed) }
        }

        /// Adds a client. Above the limit, up to a tenth more get an error response; of somewhat more than that only the address is read,
        /// and they are closed unless another connection is displaced. Nil if there are too many for that, too.
        func admit() -> Admission? {
            let now = clients.add(1, ordering: .relaxed).newValue
            if takePlace() { return .admitted }
            // Not `maximum`: a limit that was lowered leaves those their places that have one.
            let (places, extra) = (served.load(ordering: .relaxed), maximum / 10 + 16)
            // An eighth of the files that are left.
            let ignored = min(max((files - places - extra) / 8, 16), 256)
            let refused = now - places
            return refused <= extra ? .rejected : refused <= extra + ignored ? .ignored : nil
        }

        /// Removes a client.
        func leave() { clients.subtract(1, ordering: .relaxed) }

        /// Takes one of the places that are within the limit; `false` if none is free. Clients that are only to be refused have none: were
        /// they counted with the others, one that opens connections again and again could keep every place from being free.
        func takePlace() -> Bool {
            var now = served.load(ordering: .relaxed)
            while now < maximum {
                let (taken, other) = served.weakCompareExchange(
                    expected: now, desired: now + 1, ordering: .relaxed)
                if taken { return true }
                now = other
            }
            return false
        }

        /// Takes the place of a connection that is displaced and still has it, as it has for a last request, too. `false` if too many do.
        func takePlaceAhead() -> Bool {
            guard served.load(ordering: .relaxed) < highest.load(ordering: .relaxed) + 256 else { return false }
            served.add(1, ordering: .relaxed)
            return true
        }

        /// Frees a place.
        func leavePlace() { served.subtract(1, ordering: .relaxed) }
    }
}
