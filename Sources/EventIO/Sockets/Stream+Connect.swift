import CLibevent
import Glibc

extension Stream {
    /// Connects to a name or an address: resolves it and tries its addresses in turn, each with a fair share of the time that
    /// is left, so that one that swallows packets does not take it all.
    /// Throws `cannotFindHost`, `cannotConnect`, `timedOut` or `cancelled`.
    public static func connect(
        to host: String, port: UInt16, on loop: EventLoop, deadline: MonotonicTime, resolver: Resolver = .shared
    ) async throws(IOError) -> Stream {
        let addresses = try await resolver.addresses(of: host, port: port, on: loop, deadline: deadline)
        var failure = IOError.cannotFindHost
        for (index, address) in addresses.enumerated() {
            let now = MonotonicTime.now
            guard now < deadline else { throw .timedOut }
            let share = (deadline.milliseconds - now.milliseconds) / Int64(addresses.count - index)
            do throws(IOError) {
                return try await connect(to: address, on: loop, deadline: now + .milliseconds(max(share, 1)))
            } catch {
                guard error != .cancelled else { throw error }
                failure = error
            }
        }
        throw failure
    }

    /// Connects to one address. Throws `cannotConnect`, `timedOut`, `cancelled` or `system`.
    public static func connect(
        to address: SocketAddress, on loop: EventLoop, deadline: MonotonicTime
    ) async throws(IOError) -> Stream {
        let socket = cloakroom_stream_socket(address.family)
        guard socket >= 0 else { throw .system(call: "socket", errno: errno) }
        cloakroom_set_option(socket, CInt(IPPROTO_TCP), TCP_NODELAY, 1)
        let outcome = address.withSockaddr { Glibc.connect(socket, $0, $1) } == 0 ? 0 : errno
        guard outcome == 0 || outcome == EINPROGRESS else {
            Glibc.close(socket)
            throw .cannotConnect(errno: outcome)
        }
        let stream = try Stream(descriptor: socket, remoteAddress: address, loop: loop)
        guard outcome == EINPROGRESS else { return stream }
        stream.deadline = deadline
        do throws(IOError) {
            try await stream.cancellingWithTask { () async throws(IOError) in try await stream.wait(for: .write) }
            let failure = cloakroom_take_error(socket)
            guard failure == 0 else { throw .cannotConnect(errno: failure) }
        } catch {
            stream.close()
            throw error
        }
        stream.deadline = nil
        return stream
    }
}
