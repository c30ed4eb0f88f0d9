import Foundation
import JSON
import ProcessTesting

/// A gateway under test: the real binary, listening on ports that the system chose.
final class GatewayProcess: Sendable {
    let workspace: Workspace
    let process: ChildProcess
    let port: Int
    let adminPort: Int

    /// Starts on the configuration in `workspace` and returns once it listens. Requests may wait for long: the machine is busy with
    /// other tests, and one that is refused for it would be no fault.
    ///
    /// - Parameter starter: a command that starts another, with its arguments.
    init(
        in workspace: Workspace, _ arguments: [String] = [], environment: [String: String] = [:],
        starter: [String] = []
    ) throws {
        self.workspace = workspace
        let serve = [
            Place.binary, "serve", "--config", workspace.path(of: "cloakroom.yaml"), "--set", "server.maxWait=1m",
        ]
        let command = starter + serve + arguments
        process = try ChildProcess(
            command[0], Array(command.dropFirst()), errors: workspace.path(of: "errors"), environment: environment)
        guard let line = try process.readLine(), line.hasPrefix("listening on ") else {
            throw Trouble("it does not listen: \(workspace.read("errors"))")
        }
        let ports = line.matches(of: /127\.0\.0\.1:([0-9]+)/).compactMap { Int($0.output.1) }
        guard ports.count == 2 else { throw Trouble("where does it listen: \(line)") }
        (port, adminPort) = (ports[0], ports[1])
    }

    /// Its folder may go only after it.
    deinit { process.finish() }

    /// Everything on standard error so far.
    var log: String { workspace.read("errors") }

    /// One request on a connection of its own.
    func request(
        _ method: String, _ target: String, _ headers: [String: String] = [:], body: String? = nil
    ) throws -> Message {
        try Self.request(port, method, target, headers, body: body)
    }

    /// A POST of JSON.
    func post(_ target: String, _ body: String, as user: User? = nil) throws -> Message {
        var headers = ["Content-Type": "application/json"]
        headers["Authorization"] = user?.authorization
        return try request("POST", target, headers, body: body)
    }

    /// A call of the vault plane, with JSON if it has a body.
    func vault(_ method: String, _ target: String, _ body: String? = nil, as user: User = .dev) throws -> Message {
        var headers = ["Authorization": user.authorization]
        if body != nil { headers["Content-Type"] = "application/json" }
        return try request(method, target, headers, body: body)
    }

    /// One request to the second listener.
    func admin(
        _ method: String, _ target: String, _ headers: [String: String] = [:], body: String? = nil
    ) throws -> Message {
        try Self.request(adminPort, method, target, headers, body: body)
    }

    private static func request(
        _ port: Int, _ method: String, _ target: String, _ headers: [String: String] = [:], body: String? = nil
    ) throws -> Message {
        let connection = try Connection(port: port)
        var text = "\(method) \(target) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nConnection: close\r\n"
        for (name, value) in headers { text += "\(name): \(value)\r\n" }
        if let body { text += "Content-Length: \(body.utf8.count)\r\n\r\n\(body)" } else { text += "\r\n" }
        try connection.send(text)
        return try connection.receive(answersHead: method == "HEAD")
    }

    /// Waits until the log has `text` more than `count` times.
    func waitForLog(_ text: String, moreThan count: Int = 0) throws {
        try eventually("the log says \(text)") { log.ranges(of: text).count > count }
    }

    /// The most memory that it has had so far, in KiB.
    func peakMemory() throws -> Int {
        let status = try String(contentsOfFile: "/proc/\(process.pid)/status", encoding: .utf8)
        guard let line = status.split(separator: "\n").first(where: { $0.hasPrefix("VmHWM:") }),
            let number = line.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first.flatMap({ Int($0) })
        else { throw Trouble("how much memory has it") }
        return number
    }

    /// Asks it to stop and waits until it has.
    func stop() throws -> ChildProcess.End {
        process.signal(SIGTERM)
        return try process.wait()
    }
}

/// Waits for something that nothing announces; looks again every few milliseconds and gives up after half a minute.
func eventually(_ what: String, _ isSo: () throws -> Bool) throws {
    for _ in 0..<1_500 {
        if try isSo() { return }
        usleep(20_000)
    }
    throw Trouble("this never came: \(what)")
}

/// Who calls.
enum User: String, CaseIterable {
    /// All scopes.
    case dev
    /// `aliases:create` alone.
    case writer
    /// `aliases:reveal` alone.
    case reader

    var secret: String { "\(rawValue)-secret" }
    var authorization: String { "Basic " + Data("\(rawValue):\(secret)".utf8).base64EncodedString() }
}
