import Foundation
import Glibc
import ProcessTesting
import Synchronization

/// A real Redis server of the tests' own, in a temporary folder, on a free port of this machine.
public final class RedisServer: Sendable {
    /// Why there is none.
    public struct Failure: Error, CustomStringConvertible {
        public let description: String
    }

    /// TCP port on 127.0.0.1.
    public let port: Int
    /// Where it would write what it writes.
    public let folder: String
    private let tlsPort: Int?
    private let arguments: [String]
    private let process = Mutex<ChildProcess?>(nil)

    /// Settings with which nothing is written to a disk.
    public static let inMemory = ["--save", "", "--appendonly", "no"]

    /// Starts a server.
    ///
    /// - Parameters:
    ///   - arguments: settings, as on the command line.
    ///   - certificate: paths of the certificate and the key of a port for TLS, beside the other.
    public init(
        _ arguments: [String] = RedisServer.inMemory, certificate: (path: String, key: String)? = nil
    ) throws(Failure) {
        folder = NSTemporaryDirectory() + "cloakroom-redis-" + UUID().uuidString
        port = FreePort.take()
        do { try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true) } catch {
            throw Failure(description: "\(error)")
        }
        var all = ["--port", "\(port)", "--bind", "127.0.0.1", "--dir", folder, "--logfile", folder + "/log"]
        if let certificate {
            let port = FreePort.take()
            tlsPort = port
            all += [
                "--tls-port", "\(port)", "--tls-cert-file", certificate.path, "--tls-key-file", certificate.key,
                "--tls-auth-clients", "no",
            ]
        } else {
            tlsPort = nil
        }
        self.arguments = all + arguments
        try start()
    }

    /// `redis://…`.
    public var url: String { "redis://127.0.0.1:\(port)" }
    /// The port for TLS; 0 without.
    public var securePort: Int { tlsPort ?? 0 }

    /// Starts a server that was killed.
    public func start() throws(Failure) {
        let server: ChildProcess
        do { server = try ChildProcess("/usr/bin/redis-server", arguments, errors: "/dev/null") } catch {
            throw Failure(description: "\(error) (./setup test)")
        }
        process.withLock { $0 = server }
        for _ in 0..<2_000 {
            if (try? run("PING"))?.contains("PONG") == true || (try? run("PING"))?.contains("NOAUTH") == true { return }
            usleep(25_000)
        }
        throw Failure(description: "the server does not start")
    }

    /// Ends it at once.
    public func kill() { stop(SIGKILL) }

    /// Has it stand still, or go on.
    public func pause(_ isPaused: Bool) {
        guard let server = process.withLock({ $0?.pid }) else { return }
        Glibc.kill(server, isPaused ? SIGSTOP : SIGCONT)
    }

    /// Runs a command; what redis-cli prints.
    @discardableResult
    public func run(_ command: String...) throws(Failure) -> String {
        do throws(ChildProcess.Failure) {
            let child = try ChildProcess(
                "/usr/bin/redis-cli", ["-p", "\(port)"] + command, errors: "/dev/null")
            let text = try child.readToEnd()
            try child.wait()
            return text
        } catch { throw Failure(description: "\(error)") }
    }

    /// Whether any file in its folder holds this text.
    public func filesHold(_ text: String) -> Bool {
        let files = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
        return files.contains { file in
            FileManager.default.contents(atPath: "\(folder)/\(file)")?.range(of: Data(text.utf8)) != nil
        }
    }

    /// Stops it and removes its files.
    public func remove() {
        pause(false)
        stop(SIGKILL)
        try? FileManager.default.removeItem(atPath: folder)
    }

    private func stop(_ signal: CInt) {
        guard let server = process.withLock({ $0.take() }) else { return }
        server.signal(signal)
        _ = try? server.wait()
    }
}
