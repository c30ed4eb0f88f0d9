import CLibevent
import Glibc
import Synchronization
import Threads

/// Turns names into addresses without blocking a loop.
///
/// It calls the system's own `getaddrinfo`, on a few threads, and not libevent's `evdns`: an operator expects a service to
/// resolve as every other program of the machine does, with `nsswitch.conf`, the current `/etc/hosts`, search domains, a
/// `resolv.conf` that changes under a running process, and DNS over TCP for long replies. `evdns` has its own, partial
/// versions of these. The price is threads that an unreachable name server can block: their number is bounded, a name is
/// looked up once for all tasks that wait for it, a task waits no longer than its own deadline, and a name leaves the queue with
/// the last task that waits for it.
public final class Resolver: Sendable {
    /// The process's resolver. As many threads as most configurations have names: a name whose server is silent blocks one for as long as
    /// the system tries, and must not stop the others.
    public static let shared = Resolver(maximumThreads: 32)
    /// For names that callers choose, so that many or slow ones do not delay those of the configuration. It has many threads,
    /// because each slow name blocks one for seconds; threads exist only while names are looked up.
    public static let forCallers = Resolver(maximumThreads: 64, maximumQueue: 256)

    typealias Outcome = Result<[SocketAddress], IOError>

    private struct State {
        var lookUps: LookUps<@Sendable (Outcome) -> Void>
        var threads = 0
        var recent: [String: (addresses: [SocketAddress], until: MonotonicTime)] = [:]
    }

    private let state: Mutex<State>
    private let maximumThreads: Int
    private let memory: Duration
    /// Blocks. Empty when the name does not resolve.
    private let systemLookUp: @Sendable (String) -> [SocketAddress]

    /// - Parameters:
    ///   - maximumThreads: how many names are looked up at a time.
    ///   - maximumQueue: how many names wait for a thread; a further one fails with `tooManyLookUps`.
    ///   - memory: how long a result is reused. `getaddrinfo` does not tell a record's time to live, so it is short.
    public convenience init(maximumThreads: Int = 4, maximumQueue: Int = 1_024, memory: Duration = .seconds(5)) {
        self.init(
            maximumThreads: maximumThreads, maximumQueue: maximumQueue, memory: memory,
            systemLookUp: systemAddresses(of:))
    }

    init(
        maximumThreads: Int, maximumQueue: Int, memory: Duration = .seconds(5),
        systemLookUp: @escaping @Sendable (String) -> [SocketAddress]
    ) {
        state = Mutex(State(lookUps: LookUps(maximumQueue: maximumQueue)))
        self.maximumThreads = maximumThreads
        self.memory = memory
        self.systemLookUp = systemLookUp
    }

    /// The addresses of `host` (a name or an address), in the system's order of preference (RFC 6724).
    /// Throws `cannotFindHost`, `tooManyLookUps`, `timedOut` or `cancelled`.
    public func addresses(
        of host: String, port: UInt16, on loop: EventLoop, deadline: MonotonicTime
    ) async throws(IOError) -> [SocketAddress] {
        if let literal = SocketAddress(host, port: port) { return [literal] }
        guard !host.isEmpty, host.utf8.count <= 253, !host.utf8.contains(0) else { throw .cannotFindHost }
        let found: [SocketAddress]
        if let recent = recentAddresses(of: host) {
            found = recent
        } else {
            let pending = PendingResult<Outcome>(on: loop)
            let number = try begin(host) { outcome in loop.execute { pending.finish(outcome) } }
            let outcome = await pending.value(
                until: deadline, expired: .failure(.timedOut), cancelled: .failure(.cancelled))
            state.withLock { $0.lookUps.remove(number, for: host) }
            found = try outcome.get()
        }
        return found.map { address in
            var address = address
            address.port = port
            return address
        }
    }

    private func recentAddresses(of host: String) -> [SocketAddress]? {
        state.withLock { state in
            guard let recent = state.recent[host], MonotonicTime.now < recent.until else { return nil }
            return recent.addresses
        }
    }

    /// Queues a look-up, or joins one that is queued or running. Returns the number with which the caller can leave it.
    private func begin(_ host: String, then finish: @escaping @Sendable (Outcome) -> Void) throws(IOError) -> Int {
        let number = state.withLock { state -> Int? in
            guard let number = state.lookUps.add(finish, for: host) else { return nil }
            if state.threads < maximumThreads, !state.lookUps.isQueueEmpty, startThread() { state.threads += 1 }
            return number
        }
        guard let number else { throw .tooManyLookUps }
        return number
    }

    private func startThread() -> Bool {
        let worker = Worker { [self] in
            cloakroom_name_thread("resolver")
            work()
        }
        return worker != nil
    }

    /// Looks names up until none are left, then ends the thread: names are rare enough to start another one later.
    private func work() {
        while let host = state.withLock({ state -> String? in
            if let host = state.lookUps.next() { return host }
            state.threads -= 1
            return nil
        }) {
            let addresses = systemLookUp(host)
            let now = MonotonicTime.now
            let waiting = state.withLock { state in
                state.recent = state.recent.filter { now < $0.value.until }
                if !addresses.isEmpty { state.recent[host] = (addresses, now + memory) }
                return state.lookUps.finish(host)
            }
            for finish in waiting { finish(addresses.isEmpty ? .failure(.cannotFindHost) : .success(addresses)) }
        }
    }
}

/// Blocks. Empty when the name does not resolve, for any reason.
@Sendable private func systemAddresses(of host: String) -> [SocketAddress] {
    var hints = addrinfo()
    hints.ai_family = AF_UNSPEC
    hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
    hints.ai_flags = AI_ADDRCONFIG
    var list: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(host, nil, &hints, &list) == 0 else { return [] }
    defer { freeaddrinfo(list) }
    var addresses: [SocketAddress] = []
    var next = list
    while let entry = next?.pointee {
        if let raw = entry.ai_addr, let address = SocketAddress(raw, length: entry.ai_addrlen) {
            addresses.append(address)
        }
        next = entry.ai_next
    }
    return addresses
}
