import Foundation
import ProcessTesting

/// A command, run to its end.
struct Command {
    let output: String
    let errors: String
    let end: ChildProcess.End

    init(
        _ path: String, _ arguments: [String], input: String = "", in workspace: Workspace,
        environment: [String: String] = [:]
    ) throws {
        let errors = "errors-\(UUID().uuidString)"
        // Tools write into a pipe by the block: on a loaded machine minutes pass between two.
        let process = try ChildProcess(
            path, arguments, errors: workspace.path(of: errors), environment: environment, silence: 600_000)
        try process.send(input)
        process.endInput()
        output = try process.readToEnd()
        end = try process.wait()
        self.errors = workspace.read(errors)
    }

    /// The gateway's own command line.
    static func cloakroom(_ arguments: [String], input: String = "", in workspace: Workspace) throws -> Command {
        try Command(Place.binary, arguments, input: input, in: workspace)
    }

    var lines: [String] { output.split(separator: "\n", omittingEmptySubsequences: true).map(String.init) }
}
