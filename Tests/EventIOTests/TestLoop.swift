import EventIO

/// A loop on a thread of its own for the length of `body`, which runs on it.
@discardableResult
func withLoop<R: Sendable>(_ body: @escaping @Sendable (EventLoop) async throws -> R) async throws -> R {
    let loop = try EventLoop(name: "test")
    try loop.start()
    defer { loop.stop() }
    return try await Task(executorPreference: loop) { try await body(loop) }.value
}

/// Long enough for a slow machine, short enough to end a test that hangs.
var patience: MonotonicTime { .now + .seconds(20) }

/// Two ends of one loopback connection, both on `loop`.
func connectedPair(on loop: EventLoop) async throws -> (client: EventIO.Stream, server: EventIO.Stream) {
    let acceptor = try Acceptor(on: loop)
    let client = try await EventIO.Stream.connect(to: acceptor.address, on: loop, deadline: patience)
    return (client, await acceptor.next())
}

/// A listener whose connections are taken one by one. Lives on its loop's thread.
final class Acceptor: @unchecked Sendable {
    private let loop: EventLoop
    private var listener: Listener?
    private var arrived: [EventIO.Stream] = []
    private var waiter: CheckedContinuation<EventIO.Stream, Never>?

    var address: SocketAddress { listener?.localAddress ?? loopback }

    init(on loop: EventLoop, address: SocketAddress = loopback) throws {
        self.loop = loop
        listener = try Listener(on: loop, address: address) { [unowned self] stream in
            if let waiter = self.waiter {
                self.waiter = nil
                waiter.resume(returning: stream)
            } else {
                arrived.append(stream)
            }
        }
        listener?.start()
    }

    func next() async -> EventIO.Stream {
        if !arrived.isEmpty { return arrived.removeFirst() }
        return await withCheckedContinuation { waiter = $0 }
    }

    func stop() { listener?.stop() }
}

var loopback: SocketAddress {
    guard let address = SocketAddress("127.0.0.1", port: 0) else { preconditionFailure("a literal address") }
    return address
}

extension EventIO.Stream {
    func readAll() async throws(IOError) -> [UInt8] {
        var all: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = try await read(into: &buffer)
            if count == 0 { return all }
            all += buffer[..<count]
        }
    }
}
