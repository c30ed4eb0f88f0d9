import Foundation
import ProcessTesting

/// Debian's nginx as an upstream, on a free port of this machine.
final class NginxProcess: Sendable {
    let port: Int
    private let process: ChildProcess

    /// - Parameters:
    ///   - listen: what follows the port in `listen`.
    ///   - server: the rest of the `server` block.
    init(in workspace: Workspace, listen: String = "", server: String) throws {
        let port = try Upstream.deserted()
        self.port = port
        let folder = "nginx-\(port)"
        try workspace.write("", to: "\(folder)/.keep")
        let path = workspace.path(of: folder)
        let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
            .map { "\($0)_temp_path \(path)/\($0);" }.joined(separator: " ")
        try workspace.write(
            """
            daemon off; master_process off; pid \(path)/pid; error_log \(path)/errors;
            events {}
            http {
                access_log off; \(temporary)
                server { listen 127.0.0.1:\(port) \(listen); \(server) }
            }
            """, to: "\(folder)/nginx.conf")
        process = try ChildProcess(
            "/usr/sbin/nginx", ["-p", path, "-c", "\(path)/nginx.conf"], errors: "\(path)/output")
        try eventually("nginx listens: \(workspace.read("\(folder)/output"))") {
            (try? Connection(port: port)) != nil
        }
    }
}
