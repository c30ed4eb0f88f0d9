import EventIO
import Synchronization

extension Server {
    /// What the loops of a server have in common: how many clients there are, and the certificate.
    final class Shared: Sendable {
        enum Admission { case admitted, turnedAway, ignored }

        private let maximum: Int
        private let clients = Atomic(0)
        private let handshakesFailed = Atomic(0)
        private let context: Mutex<TLSServerContext?>

        init(maximum: Int, secureContext: TLSServerContext?) {
            self.maximum = maximum
            context = Mutex(secureContext)
        }

        var count: Int { clients.load(ordering: .relaxed) }

        /// Clients with whom no TLS came about.
        var failedHandshakes: Int { handshakesFailed.load(ordering: .relaxed) }

        func noteFailedHandshake() { handshakesFailed.add(1, ordering: .relaxed) }

        var secureContext: TLSServerContext? {
            get { context.withLock { $0 } }
            set { context.withLock { $0 = newValue } }
        }

        /// Counts a client in, unless it is `ignored`. A tenth more than the limit is told that there are too many; beyond that
        /// even telling would cost too much.
        func admit() -> Admission {
            let now = clients.add(1, ordering: .relaxed).newValue
            if now <= maximum { return .admitted }
            if now <= maximum + maximum / 10 + 16 { return .turnedAway }
            leave()
            return .ignored
        }

        func leave() { clients.subtract(1, ordering: .relaxed) }
    }
}
