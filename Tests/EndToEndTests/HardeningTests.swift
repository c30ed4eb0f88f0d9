import Foundation
import ProcessTesting
import Testing

/// Every command keeps what it handles out of core dumps before it reads any of it.
@Suite struct HardeningTests {
    /// Both wait for their input.
    @Test(arguments: ["evaluate", "credential"])
    func noCommandLeavesACore(_ command: String) throws {
        let workspace = try Workspace()
        let process = try ChildProcess(Place.binary, [command], errors: workspace.path(of: "errors"))
        // A signal that only the hardening ignores: limits may be those of whoever started the tests.
        try eventually("the process is hardened") {
            try Self.words(of: "status", process, after: "SigIgn:").first
                .flatMap { UInt64($0, radix: 16) }.map { $0 >> 24 & 1 == 1 } == true
        }
        #expect(try Self.words(of: "limits", process, after: "Max core file size") == ["0", "0", "bytes"])
        process.endInput()
        #expect(try process.wait() == .exit(0))
    }

    private static func words(of file: String, _ process: ChildProcess, after name: String) throws -> [String] {
        let text = try String(contentsOfFile: "/proc/\(process.pid)/\(file)", encoding: .utf8)
        let line = text.split(separator: "\n").first { $0.hasPrefix(name) } ?? ""
        return line.dropFirst(name.count).split { $0 == " " || $0 == "\t" }.map(String.init)
    }
}
