import Foundation
import ProcessTesting
import Testing

/// A short run of the durability kit (`Tests/Durability`), whose long run is `make durability`.
@Suite("Durability") struct DurabilityTests {
    @Test func nothingAcknowledgedIsLostInAPowerCut() throws {
        let (status, output) = try kit(["--rounds", "24", "--seed", "20"])
        #expect(status == 0, "\(output)")
        #expect(output.contains("24 cuts"))
    }

    /// A cut at one call after another of a run through merges and checkpoints; `make durability` takes every one.
    @Test func cutsInTurn() throws {
        let (status, output) = try kit(["--every", "--rounds", "16", "--stride", "89", "--seed", "7"])
        #expect(status == 0, "\(output)")
        #expect(output.contains("16 cuts"))
    }

    /// The kit would see that the log is not synced, as with `synchronous=OFF`.
    @Test func aLogThatIsNotSyncedIsFound() throws {
        let (status, output) = try kit(["--rounds", "24", "--seed", "20", "--faults", "0", "--lie=-wal"])
        #expect(status == 1, "\(output)")
        #expect(output.contains("not as it was acknowledged"))
    }

    /// The whole gateway, and its audit log with it.
    @Test func nothingThatTheGatewayAnsweredIsLost() throws {
        let (status, output) = try kit(["--rounds", "4", "--seed", "20"], "gateway", of: "cloakroom")
        #expect(status == 0, "\(output)")
        #expect(output.contains("4 cuts"))
    }

    /// The kit would see that reveals are answered before they are recorded.
    @Test func anAuditLogThatIsNotSyncedIsFound() throws {
        let (status, output) = try kit(
            ["--rounds", "8", "--seed", "20", "--faults", "0", "--lie=audit.log"], "gateway", of: "cloakroom")
        #expect(status == 1, "\(output)")
        #expect(output.contains("audit"))
    }

    private func kit(
        _ arguments: [String], _ name: String = "durability", of binary: String = "durability-driver"
    ) throws -> (status: Int32, output: String) {
        let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        // The driver is built beside the tests.
        let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        let bundle = try #require((CommandLine.arguments + [own]).first { $0.contains(".xctest") })
        let products = URL(fileURLWithPath: bundle.components(separatedBy: ".xctest")[0]).deletingLastPathComponent()
        let process = try ChildProcess(
            "/usr/bin/env",
            ["python3", tests.path + "/Durability/\(name).py", "--binary", products.path + "/" + binary]
                + arguments, errors: "/dev/stdout", silence: 600_000)
        let output = try process.readToEnd()
        guard case .exit(let status) = try process.wait() else { return (-1, output) }
        return (status, output)
    }
}
