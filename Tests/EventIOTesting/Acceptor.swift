public import EventIO

/// A listener whose connections are taken one by one. Lives on its loop's thread.
public final class Acceptor: @unchecked Sendable {
    private let loop: EventLoop
    private var listener: Listener?
    private var arrived: [Socket] = []
    private var waiter: CheckedContinuation<Socket, Never>?

    public var address: SocketAddress { listener?.localAddress ?? loopback }

    public init(on loop: EventLoop, address: SocketAddress = loopback) throws {
        self.loop = loop
        listener = try Listener(on: loop, address: address) { [unowned self] socket in
            if let waiter = self.waiter {
                self.waiter = nil
                waiter.resume(returning: socket)
            } else {
                arrived.append(socket)
            }
        }
        listener?.start()
    }

    public func next() async -> Socket {
        if !arrived.isEmpty { return arrived.removeFirst() }
        return await withCheckedContinuation { waiter = $0 }
    }

    public func stop() { listener?.stop() }
}

/// An address of this machine alone, on a port that is free.
public var loopback: SocketAddress {
    guard let address = SocketAddress("127.0.0.1", port: 0) else { preconditionFailure("a literal address") }
    return address
}
