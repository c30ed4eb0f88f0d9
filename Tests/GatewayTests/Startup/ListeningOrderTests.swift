import Configuration
import FileTesting
import Glibc
import Testing

@testable import Gateway

@Suite struct ListeningOrderTests {
    /// Where clients cannot connect, nobody answers that the gateway is ready.
    @Test func clientsCanConnectBeforeAnybodyIsToldSo() async throws {
        let (taken, free) = (Occupied(), Occupied())
        free.release()
        let folder = try TemporaryFolder([
            "cloakroom.yaml": """
            server: {listen: ["127.0.0.1:\(taken.port)"], workers: 1}
            admin: {listen: "127.0.0.1:\(free.port)"}
            vault: {sqlite: {path: vault.db}, masterKey: {file: master.key, generate: true}}

            """
        ])
        let loaded = Configuration.load(file: folder.path + "/cloakroom.yaml")
        let gateway = try await Gateway(try #require(loaded.configuration, "\(loaded.mistakes)"), sink: LogSink())
        #expect(throws: StartError.self) { try gateway.start() }
        #expect(taken.isConnectable && !free.isConnectable)
        _ = await gateway.drain()
        taken.release()
    }

    /// A port of this machine that somebody listens on.
    private struct Occupied {
        let port: UInt16
        private let descriptor: Int32

        init() {
            descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            var address = Self.address(port: 0)
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let opened = descriptor
            // Sound: the address lives, and is as long as it says, during each call.
            withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                    _ = bind(opened, pointer, length)
                    _ = listen(opened, 8)
                    _ = getsockname(opened, pointer, &length)
                }
            }
            port = UInt16(bigEndian: address.sin_port)
        }

        func release() { close(descriptor) }

        var isConnectable: Bool {
            let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            defer { close(client) }
            var address = Self.address(port: port)
            return withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                    connect(client, pointer, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
                }
            }
        }

        private static func address(port: UInt16) -> sockaddr_in {
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            return address
        }
    }
}
