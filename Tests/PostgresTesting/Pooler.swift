import Foundation
import Glibc
import ProcessTesting

/// A PgBouncer of the tests' own, before a server of theirs, that hands out sessions by the transaction.
public final class Pooler: Sendable {
    private let folder: String
    private let process: ChildProcess
    private let port: Int

    /// Starts it before the server of this URL.
    public init(before url: String) throws(PostgresServer.Failure) {
        folder = PostgresServer.temporaryFolder()
        port = FreePort.take()
        guard let place = URL(string: url), let host = place.host, let server = place.port, let user = place.user else {
            throw PostgresServer.Failure(description: "not a URL")
        }
        let settings = """
            [databases]
            * = host=\(host) port=\(server)
            [pgbouncer]
            listen_addr = 127.0.0.1
            listen_port = \(port)
            auth_type = trust
            auth_file = \(folder)/users
            pool_mode = transaction
            default_pool_size = 8
            unix_socket_dir =
            """
        do {
            try settings.write(toFile: folder + "/pgbouncer.ini", atomically: false, encoding: .utf8)
            try "\"\(user)\" \"\"\n".write(toFile: folder + "/users", atomically: false, encoding: .utf8)
        } catch { throw PostgresServer.Failure(description: "\(error)") }
        PostgresServer.handOver(folder)
        process = try PostgresServer.start("/usr/sbin/pgbouncer", [folder + "/pgbouncer.ini"])
        for _ in 0..<300 {
            if PostgresServer.isListening(on: port) { return }
            usleep(50_000)
        }
        throw PostgresServer.Failure(description: "the pooler does not start")
    }

    /// The same database through the pooler.
    public func url(of database: String) -> String {
        var place = URLComponents(string: database)
        place?.port = port
        return place?.string ?? ""
    }

    /// Stops it.
    public func remove() {
        // Children inherit a mask of signals under which a request to end would wait for ever.
        process.finish()
        try? FileManager.default.removeItem(atPath: folder)
    }
}
