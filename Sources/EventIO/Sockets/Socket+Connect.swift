import CLibevent
import Glibc

extension Socket {
    /// Connects to a name or an address: resolves it and tries its addresses one after the other. Each gets an equal share of
    /// the remaining time, so that an address that drops packets does not use all of it.
    /// Throws `cannotFindHost`, `cannotConnect`, `timedOut` or `cancelled`.
    public static func connect(
        to host: String, port: UInt16, on loop: EventLoop, deadline: MonotonicTime, resolver: Resolver = .shared
    ) async throws(IOError) -> Socket {
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
    ) async throws(IOError) -> Socket {
        let descriptor = cloakroom_stream_socket(address.family)
        guard descriptor >= 0 else { throw .system(call: "socket", errno: errno) }
        cloakroom_set_option(descriptor, CInt(IPPROTO_TCP), TCP_NODELAY, 1)
        let outcome = address.withSockaddr { Glibc.connect(descriptor, $0, $1) } == 0 ? 0 : errno
        guard outcome == 0 || outcome == EINPROGRESS else {
            Glibc.close(descriptor)
            throw .cannotConnect(errno: outcome)
        }
        let socket = try Socket(descriptor: descriptor, remoteAddress: address, loop: loop)
        guard outcome == EINPROGRESS else { return socket }
        socket.deadline = deadline
        do throws(IOError) {
            try await socket.cancellingWithTask { () async throws(IOError) in try await socket.wait(for: .write) }
            let failure = cloakroom_take_error(descriptor)
            guard failure == 0 else { throw .cannotConnect(errno: failure) }
        } catch {
            socket.close()
            throw error
        }
        socket.deadline = nil
        return socket
    }
}
