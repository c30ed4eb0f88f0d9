import Foundation
import Glibc
import ProcessTesting
import Synchronization

/// A real PostgreSQL server of the tests' own, in a temporary folder, on a free port of this machine.
public final class PostgresServer: Sendable {
    /// Why there is none.
    public struct Failure: Error, CustomStringConvertible {
        public let description: String
    }

    /// The one that tests share. Stopped at the end of the process.
    public static func shared() throws(Failure) -> PostgresServer { try sharing.get() }

    private static let sharing: Result<PostgresServer, Failure> = {
        do throws(Failure) {
            let server = try PostgresServer()
            atexit { if case .success(let server) = PostgresServer.sharing { server.remove() } }
            return .success(server)
        } catch { return .failure(error) }
    }()

    private static let user = "cloakroom"
    private let port: Int
    private let folder: String
    private let binaries: String
    private let process = Mutex<ChildProcess?>(nil)
    private let databases = Mutex(0)
    private let tls: Bool

    /// Makes a cluster and starts it.
    ///
    /// - Parameter certificate: paths of the certificate and the key that it shows to who asks for TLS.
    public init(certificate: (path: String, key: String)? = nil) throws(Failure) {
        guard let binaries = Self.binaries else {
            throw Failure(description: "PostgreSQL is not installed: ./setup test")
        }
        self.binaries = binaries
        folder = Self.temporaryFolder()
        tls = certificate != nil
        port = FreePort.take()
        Self.handOver(folder)
        try run(
            "initdb", ["-D", folder + "/data", "-A", "trust", "-U", Self.user, "-E", "UTF8", "--locale=C", "--no-sync"])
        if let certificate {
            try adopt(certificate.path, as: "server.crt")
            try adopt(certificate.key, as: "server.key")
        }
        try start()
    }

    /// Gives the server a copy that is for nobody else.
    private func adopt(_ file: String, as name: String) throws(Failure) {
        let path = "\(folder)/data/\(name)"
        do { try FileManager.default.copyItem(atPath: file, toPath: path) } catch {
            throw Failure(description: "\(error)")
        }
        chmod(path, 0o600)
        Self.handOver(path)
    }

    /// The server does not run as root, whose files would be nothing to it.
    static func handOver(_ path: String) {
        guard geteuid() == 0, let owner = getpwnam("postgres") else { return }
        chown(path, owner.pointee.pw_uid, owner.pointee.pw_gid)
    }

    /// Starts a server that was killed.
    public func start() throws(Failure) {
        let server = try start(
            "postgres",
            [
                "-D", folder + "/data", "-p", "\(port)", "-k", folder, "-c", "listen_addresses=127.0.0.1", "-c",
                "shared_buffers=16MB", "-c", "max_connections=300", "-c", "logging_collector=off", "-c",
                "ssl=\(tls ? "on" : "off")",
            ], errors: folder + "/log")
        process.withLock { $0 = server }
        for _ in 0..<300 {
            if (try? run("psql", ["-X", "-q", "-c", "SELECT 1"] + place(of: "postgres"))) != nil { return }
            usleep(50_000)
        }
        throw Failure(description: "the server does not start")
    }

    /// Ends all its processes at once, as a loss of power does to the processes of a machine.
    public func kill() {
        stop(SIGQUIT)
    }

    /// Has all its processes stand still, connections and all, or go on.
    public func pause(_ isPaused: Bool) {
        guard let server = process.withLock({ $0?.pid }) else { return }
        let signal = isPaused ? SIGSTOP : SIGCONT
        // The server first: what it starts after its children were listed would go on.
        Glibc.kill(server, signal)
        let processes = (try? FileManager.default.contentsOfDirectory(atPath: "/proc"))?.compactMap { pid_t($0) } ?? []
        for child in processes where Self.parent(of: child) == server { Glibc.kill(child, signal) }
    }

    private static func parent(of process: pid_t) -> pid_t? {
        let status = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
        let line = status?.split(separator: "\n").first { $0.hasPrefix("PPid:") }
        return line?.split(separator: "\t").last.flatMap { pid_t($0) }
    }

    /// A new, empty database; its URL.
    public func database() throws(Failure) -> String {
        let name = databases.withLock { count in
            count += 1
            return "vault\(count)"
        }
        try run("createdb", place(of: name))
        return "postgresql://\(Self.user)@127.0.0.1:\(port)/\(name)"
    }

    /// Sets the clock that sessions of this database read which begin after the first call: so many seconds ahead. It stands still between
    /// two calls, so that a slow machine does not use up the time that a test is about; vaults then go by `VaultClock.still`. A function of
    /// the name of the server's own comes before it.
    public func setClock(of url: String, ahead seconds: Int) throws(Failure) {
        let name = url.split(separator: "/").last.map(String.init) ?? ""
        let statements = [
            "CREATE SCHEMA IF NOT EXISTS shifted",
            "CREATE TABLE IF NOT EXISTS shifted.clock AS SELECT pg_catalog.clock_timestamp() AS start, 0 AS seconds",
            "UPDATE shifted.clock SET seconds = \(seconds)",
            """
            CREATE OR REPLACE FUNCTION shifted.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE AS
            'SELECT start + make_interval(secs => seconds) FROM shifted.clock'
            """, "ALTER DATABASE \(name) SET search_path = shifted, pg_catalog, public",
        ]
        try query(statements.joined(separator: ";"), in: url)
    }

    /// What the server has logged since it was started.
    public var log: String { (try? String(contentsOfFile: folder + "/log", encoding: .utf8)) ?? "" }

    /// Runs SQL in the database of this URL; what psql prints.
    @discardableResult
    public func query(_ sql: String, in url: String) throws(Failure) -> String {
        try run("psql", ["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-c", sql, url])
    }

    /// Stops it and removes its files.
    public func remove() {
        stop(SIGINT)
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// A server that stands still goes on first: it would take no signal.
    private func stop(_ signal: CInt) {
        pause(false)
        guard let server = process.withLock({ $0.take() }) else { return }
        server.signal(signal)
        _ = try? server.wait()
    }

    private func place(of database: String) -> [String] {
        ["-h", "127.0.0.1", "-p", "\(port)", "-U", Self.user, database]
    }

    @discardableResult
    private func run(_ command: String, _ arguments: [String]) throws(Failure) -> String {
        let child = try start(command, arguments)
        let (text, end): (String, ChildProcess.End)
        do { (text, end) = (try child.readToEnd(), try child.wait()) } catch {
            throw Failure(description: "\(command): \(error)")
        }
        guard end == .exit(0) else { throw Failure(description: "\(command) ends with \(end)") }
        return text
    }

    private func start(
        _ command: String, _ arguments: [String], errors: String = "/dev/null"
    ) throws(Failure) -> ChildProcess {
        try Self.start("\(binaries)/\(command)", arguments, errors: errors)
    }

    /// Neither the server nor a pooler runs as root.
    static func start(
        _ path: String, _ arguments: [String], errors: String = "/dev/null"
    ) throws(Failure) -> ChildProcess {
        let words =
            geteuid() == 0
            ? ["/usr/bin/setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups", path] : [path]
        do { return try ChildProcess(words[0], words.dropFirst() + arguments, errors: errors) } catch {
            throw Failure(description: "\(path): \(error)")
        }
    }

    /// Where Debian's packages put the programs; the newest version.
    private static var binaries: String? {
        let root = "/usr/lib/postgresql"
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
        return versions.compactMap(Int.init).sorted().reversed().map { "\(root)/\($0)/bin" }
            .first { FileManager.default.isExecutableFile(atPath: $0 + "/postgres") }
    }

    static func temporaryFolder() -> String {
        var template = Array("/tmp/cloakroom-pg-XXXXXX".utf8CString)
        return template.withUnsafeMutableBufferPointer { $0.baseAddress.flatMap(mkdtemp).map { String(cString: $0) } }
            ?? ""
    }

    /// Whether something takes connections on this port of this machine.
    static func isListening(on port: Int) -> Bool {
        let socket = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        defer { close(socket) }
        let (address, length) = loopback(port: port)
        return withUnsafePointer(to: address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(socket, $0, length) == 0 }
        }
    }

    private static func loopback(port: Int) -> (sockaddr_in, socklen_t) {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        address.sin_port = in_port_t(truncatingIfNeeded: port).bigEndian
        return (address, socklen_t(MemoryLayout<sockaddr_in>.size))
    }
}
