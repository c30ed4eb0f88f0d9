import Glibc

/// Notifies the service manager of the process (systemd, `Type=notify`) by the protocol of sd_notify(3): datagrams to the Unix socket
/// that `NOTIFY_SOCKET` names. Without the variable it does nothing.
struct ServiceManager: Sendable {
    enum Event {
        /// The listeners accept connections.
        case ready
        /// The configuration is read again; `ready` follows.
        case reloading
        /// The process stops, which may take so many seconds.
        case stopping(seconds: Int64)
        /// All loops are alive.
        case watchdog

        var message: String {
            switch self {
            case .ready: "READY=1"
            // Type=notify-reload asks for the time.
            case .reloading: "RELOADING=1\nMONOTONIC_USEC=\(SystemClock.monotonicMicroseconds)"
            case .stopping(let seconds): "STOPPING=1\nEXTEND_TIMEOUT_USEC=\(seconds * 1_000_000)"
            case .watchdog: "WATCHDOG=1"
            }
        }
    }

    private let socketName: String?
    /// Milliseconds within which the manager expects a `watchdog` event; nil if it does not.
    let watchdogTimeout: Int64?

    /// - Parameters:
    ///   - environment: the value of a variable.
    ///   - process: id of this process, for which alone `WATCHDOG_USEC` counts if `WATCHDOG_PID` is set.
    init(environment: (String) -> String? = Self.variable, process: Int32 = getpid()) {
        socketName = environment("NOTIFY_SOCKET").flatMap { $0.isEmpty ? nil : $0 }
        let microseconds = environment("WATCHDOG_USEC").flatMap { Int64($0) } ?? 0
        let isMeant = environment("WATCHDOG_PID").map { $0 == "\(process)" } ?? true
        watchdogTimeout = socketName != nil && isMeant && microseconds >= 2_000 ? microseconds / 1_000 : nil
    }

    private static func variable(_ name: String) -> String? {
        getenv(name).flatMap { String(validatingCString: $0) }
    }

    /// Sends an event. A manager that does not take it is not worth an error: it has its own timeouts.
    func notify(_ event: Event) {
        guard let socketName, let (address, length) = Self.address(socketName) else { return }
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        let message = Array(event.message.utf8)
        // Sound: `sockaddr_un` begins as `sockaddr` does, `length` is within it, and the pointers are used during the call only.
        withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                _ = sendto(
                    descriptor, message, message.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT), pointer,
                    length)
            }
        }
    }

    /// The address of a path, or of an abstract name, which begins with `@`; nil if it is neither or too long.
    private static func address(_ name: String) -> (sockaddr_un, socklen_t)? {
        var bytes = Array(name.utf8)
        var address = sockaddr_un()
        let limit = MemoryLayout.size(ofValue: address.sun_path)
        guard let first = bytes.first, first == UInt8(ascii: "/") || first == UInt8(ascii: "@"), bytes.count < limit,
            !bytes.contains(0)
        else { return nil }
        if first == UInt8(ascii: "@") { bytes[0] = 0 }
        address.sun_family = sa_family_t(AF_UNIX)
        // Sound: fewer bytes than the array has are copied into it.
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let offset = MemoryLayout.offset(of: \sockaddr_un.sun_path) ?? 2
        // A path ends with a zero byte; an abstract name with the length.
        return (address, socklen_t(offset + bytes.count + (first == UInt8(ascii: "/") ? 1 : 0)))
    }
}
