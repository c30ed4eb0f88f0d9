public import EventIO

/// Two ends of one loopback connection, both on `loop`.
public func connectedPair(on loop: EventLoop) async throws -> (client: Socket, server: Socket) {
    let acceptor = try Acceptor(on: loop)
    let client = try await Socket.connect(to: acceptor.address, on: loop, deadline: testDeadline)
    return (client, await acceptor.next())
}

extension Socket {
    /// Everything until the end of the socket.
    public func readAll() async throws(IOError) -> [UInt8] {
        var all: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = try await read(into: &buffer)
            if count == 0 { return all }
            all += buffer[..<count]
        }
    }
}
