import CLibevent
import Glibc
import Synchronization

/// Turns names into addresses without blocking a loop.
///
/// It calls the system's own `getaddrinfo`, on a few threads, and not libevent's `evdns`: an operator expects a service to
/// resolve as every other program of the machine does, with `nsswitch.conf`, the current `/etc/hosts`, search domains, a
/// `resolv.conf` that changes under a running process, and DNS over TCP for long replies. `evdns` has its own, partial
/// versions of these. The price is threads that an unreachable name server can block: their number is bounded, a name is
/// looked up once for all tasks that wait for it, and a task waits no longer than its own deadline.
public final class Resolver: Sendable {
    /// The process's resolver.
    public static let shared = Resolver()
    /// For names that callers choose, so that many or slow ones do not delay those of the configuration.
    public static let forCallers = Resolver(maximumThreads: 2)

    typealias Outcome = Result<[SocketAddress], IOError>

    private struct State {
        var waiting: [String: [@Sendable (Outcome) -> Void]] = [:]
        var queue: [String] = []
        var threads = 0
        var recent: [String: (addresses: [SocketAddress], until: MonotonicTime)] = [:]
    }

    private let state = Mutex(State())
    private let maximumThreads: Int
    private let memory: Duration

    /// - Parameter memory: how long a result is reused. `getaddrinfo` does not tell a record's time to live, so it is short.
    public init(maximumThreads: Int = 4, memory: Duration = .seconds(5)) {
        self.maximumThreads = maximumThreads
        self.memory = memory
    }

    /// The addresses of `host` (a name or an address), in the system's order of preference (RFC 6724).
    /// Throws `cannotFindHost`, `timedOut` or `cancelled`.
    public func addresses(
        of host: String, port: UInt16, on loop: EventLoop, deadline: MonotonicTime
    ) async throws(IOError) -> [SocketAddress] {
        if let literal = SocketAddress(host, port: port) { return [literal] }
        guard !host.isEmpty, host.utf8.count <= 253, !host.utf8.contains(0) else { throw .cannotFindHost }
        let pending = PendingResult<Outcome>(on: loop)
        look(up: host) { outcome in loop.execute { pending.finish(outcome) } }
        let outcome = await pending.value(
            until: deadline, expired: .failure(.timedOut), cancelled: .failure(.cancelled))
        return try outcome.get().map { address in
            var address = address
            address.port = port
            return address
        }
    }

    private func look(up host: String, then finish: @escaping @Sendable (Outcome) -> Void) {
        let known = state.withLock { state -> [SocketAddress]? in
            if let recent = state.recent[host], MonotonicTime.now < recent.until { return recent.addresses }
            state.waiting[host, default: []].append(finish)
            if state.waiting[host]?.count == 1 { state.queue.append(host) }
            if state.threads < maximumThreads, !state.queue.isEmpty, startThread() { state.threads += 1 }
            return nil
        }
        if let known { finish(.success(known)) }
    }

    private func startThread() -> Bool {
        var thread = pthread_t()
        let argument = Unmanaged.passRetained(self)
        guard pthread_create(&thread, nil, { resolverThread($0) }, argument.toOpaque()) == 0 else {
            argument.release()
            return false
        }
        pthread_detach(thread)
        return true
    }

    /// Looks names up until none are left, then ends the thread: names are rare enough to start another one later.
    fileprivate func work() {
        while let host = state.withLock({ state -> String? in
            guard state.queue.isEmpty else { return state.queue.removeFirst() }
            state.threads -= 1
            return nil
        }) {
            let addresses = systemAddresses(of: host)
            let now = MonotonicTime.now
            let waiting = state.withLock { state -> [@Sendable (Outcome) -> Void] in
                state.recent = state.recent.filter { now < $0.value.until }
                if !addresses.isEmpty { state.recent[host] = (addresses, now + memory) }
                return state.waiting.removeValue(forKey: host) ?? []
            }
            for finish in waiting { finish(addresses.isEmpty ? .failure(.cannotFindHost) : .success(addresses)) }
        }
    }
}

private func resolverThread(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let argument else { return nil }
    cloakroom_name_thread("resolver")
    Unmanaged<Resolver>.fromOpaque(argument).takeRetainedValue().work()
    return nil
}

/// Blocks. Empty when the name does not resolve, for any reason.
private func systemAddresses(of host: String) -> [SocketAddress] {
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
