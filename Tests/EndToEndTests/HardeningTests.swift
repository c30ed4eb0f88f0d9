import Foundation
import ProcessTesting
import Testing

/// Every command keeps what it handles out of core dumps before it reads any of it.
@Suite(.waits) struct HardeningTests {
    /// Both wait for their input.
    @Test(arguments: ["evaluate", "credential"])
    func noCommandLeavesACore(_ command: String) throws {
        let workspace = try Workspace()
        let process = try ChildProcess(Place.binary, [command], errors: workspace.path(of: "errors"))
        try eventually("the process is hardened") { try Self.isHardened(process) }
        #expect(try Self.words(of: "limits", process, after: "Max core file size") == ["0", "0", "bytes"])
        process.endInput()
        #expect(try process.wait() == .exit(0))
    }

    /// Another process of the same user cannot read the memory: here the environment, which the kernel guards in the same way. Root may read
    /// everything, unless both lack the rights to trace.
    @Test func noOtherProcessOfTheUserReadsTheMemory() throws {
        let workspace = try Workspace()
        let errors = workspace.path(of: "errors")
        let drop = geteuid() == 0 ? ["setpriv", "--bounding-set", "-sys_ptrace,-perfmon,-sys_admin", "--"] : []
        func start(_ words: [String]) throws -> ChildProcess {
            try ChildProcess("/usr/bin/env", drop + words, errors: errors)
        }
        func reads(_ process: ChildProcess) throws -> Bool {
            let reader = try start(["cat", "/proc/\(process.pid)/environ"])
            let text = try reader.readToEnd()
            return try reader.wait() == .exit(0) && !text.isEmpty
        }
        let open = try start(["cat"])
        try eventually("any other process can be read") { try reads(open) }
        let hardened = try start([Place.binary, "evaluate"])
        try eventually("the process is hardened") { try Self.isHardened(hardened) }
        #expect(try !reads(hardened))
        for process in [open, hardened] {
            process.endInput()
            #expect(try process.wait() == .exit(0))
        }
    }

    /// A signal that only the hardening ignores: limits may be those of whoever started the tests.
    private static func isHardened(_ process: ChildProcess) throws -> Bool {
        try words(of: "status", process, after: "SigIgn:").first
            .flatMap { UInt64($0, radix: 16) }.map { $0 >> 24 & 1 == 1 } == true
    }

    private static func words(of file: String, _ process: ChildProcess, after name: String) throws -> [String] {
        let text = try String(contentsOfFile: "/proc/\(process.pid)/\(file)", encoding: .utf8)
        let line = text.split(separator: "\n").first { $0.hasPrefix(name) } ?? ""
        return line.dropFirst(name.count).split { $0 == " " || $0 == "\t" }.map(String.init)
    }

    /// A fault writes nothing of the memory into the log, as Swift's runtime would where its tools are installed.
    @Test(arguments: [SIGSEGV, SIGILL, SIGTRAP, SIGQUIT])
    func faultsShowNothing(fault: Int32) throws {
        let gateway = try GatewayProcess(in: Setting.workspace())
        let before = gateway.log
        gateway.process.signal(fault)
        #expect(try gateway.process.wait() == .signal(fault))
        #expect(gateway.log == before)
    }
}
