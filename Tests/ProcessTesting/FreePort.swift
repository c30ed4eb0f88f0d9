import Glibc
import Synchronization

/// Ports of this machine for the servers that tests start, and for those that nobody listens on.
public enum FreePort {
    /// Below those that the system gives to connections and to whoever lets it choose (Linux: from 32,768 on). Between the look here and
    /// the start of a server such a port would be taken by somebody else now and then.
    private static let range = 12_000..<32_000
    private static let taken = Atomic(Int.random(in: 0..<range.count))

    /// One that nobody listens on. This process gets each once.
    public static func take() -> Int {
        for _ in range {
            let port = range.lowerBound + taken.add(1, ordering: .relaxed).newValue % range.count
            if isFree(port) { return port }
        }
        return 0
    }

    private static func isFree(_ port: Int) -> Bool {
        let socket = socket(AF_INET, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        defer { close(socket) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        // Sound: the address lives through the call.
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(socket, pointer, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }
}
