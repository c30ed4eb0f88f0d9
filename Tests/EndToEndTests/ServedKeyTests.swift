import Foundation
import JSON
import ProcessTesting
import Testing

/// Key operations and backups of a vault that is being served meanwhile.
@Suite(.waits) struct ServedKeyTests {
    private static let body = #"{"data":[{"value":"older than its key","format":"UUID"}]}"#

    private func alias(_ gateway: GatewayProcess) throws -> String {
        let made = try gateway.vault("POST", "/aliases", Self.body).json()["data"]?.array?.first
        return try #require(made?["aliases"]?.array?.first?.string("alias"))
    }

    private func value(of alias: String, _ gateway: GatewayProcess) throws -> String? {
        try gateway.vault("GET", "/aliases/\(alias)").json()["data"]?.array?.first?.string("value")
    }

    /// Writes a master key for its owner alone.
    private func key(_ name: String, in workspace: Workspace) throws -> String {
        try workspace.write((0..<64).map { _ in String("0123456789abcdef".randomElement() ?? "0") }.joined(), to: name)
        chmod(workspace.path(of: name), 0o600)
        return workspace.path(of: name)
    }

    @Test func keysChangeWhileItServes() throws {
        let workspace = try Setting.workspace()
        let options = ["--config", workspace.path(of: "cloakroom.yaml")]
        let gateway = try GatewayProcess(in: workspace)
        let alias = try alias(gateway)
        let rotated = try Command.cloakroom(["keys", "rotate"] + options, in: workspace)
        #expect(rotated.end == .exit(0), "\(rotated.errors)")
        #expect(rotated.lines.filter { $0.contains(" retired ") }.count == 1)
        #expect(try value(of: alias, gateway) == "older than its key")
        #expect(try Command.cloakroom(["keys", "rewrap"] + options, in: workspace).end == .exit(0))
        let status = try Command.cloakroom(["keys", "status"] + options, in: workspace)
        #expect(status.lines.count == 1 && status.lines.first?.contains(" active ") == true)
        #expect(try value(of: alias, gateway) == "older than its key")
    }

    /// Equal values get equal aliases before, while and after the key by which they are found is changed.
    @Test func theFingerprintKeyChangesWhileItServes() throws {
        let workspace = try Setting.workspace(Setting.base + "audit: {file: data/audit.log}\n")
        let options = ["--config", workspace.path(of: "cloakroom.yaml")]
        let gateway = try GatewayProcess(in: workspace)
        let alias = try alias(gateway)
        #expect(try Command.cloakroom(["keys", "rotate", "--fingerprints"] + options, in: workspace).end == .exit(0))
        #expect(try self.alias(gateway) == alias)
        let rewrapped = try Command.cloakroom(["keys", "rewrap"] + options, in: workspace)
        #expect(rewrapped.end == .exit(0), "\(rewrapped.output) \(rewrapped.errors)")
        #expect(try self.alias(gateway) == alias)
        #expect(try value(of: alias, gateway) == "older than its key")
        let status = try Command.cloakroom(["keys", "status"] + options, in: workspace)
        #expect(status.lines.count == 1)
        #expect(try gateway.stop() == .exit(0))
        let log = workspace.read("data/audit.log").split(separator: "\n")
        for event in ["keys.rotate", "keys.rewrap"] {
            #expect(
                log.contains { $0.contains("\"event\":\"\(event)\",\"outcome\":\"done\",\"credential\":\"operator ") })
        }
    }

    /// The file becomes smaller after values were deleted, served or not.
    @Test(arguments: [true, false])
    func compactionReturnsSpace(isServed: Bool) throws {
        let workspace = try Setting.workspace(Setting.base + "audit: {file: data/audit.log}\n")
        let options = ["--config", workspace.path(of: "cloakroom.yaml")]
        let gateway = try GatewayProcess(in: workspace)
        let long = String(repeating: "x", count: 20_000)
        for number in 0..<20 {
            let items = (0..<5).map { #"{"value":"\#(number) \#($0) \#(long)","format":"UUID","classifiers":["c"]}"# }
            let body = #"{"data":[\#(items.joined(separator: ","))]}"#
            #expect(try gateway.vault("POST", "/aliases", body).status == 201)
        }
        let begun = try gateway.vault("POST", "/aliases/delete", #"{"classifier":"c"}"#).json()
        let id = try #require(begun.string("erasure"))
        try eventually("they are erased") {
            try gateway.vault("GET", "/erasures/\(id)").json().string("status") == "done"
        }
        if !isServed { #expect(try gateway.stop() == .exit(0)) }
        let compacted = try Command.cloakroom(["compact"] + options, in: workspace)
        #expect(compacted.end == .exit(0), "\(compacted.errors)")
        let returned = compacted.lines.last?.split(separator: " ").first.flatMap { Int($0) } ?? 0
        #expect(returned > 1_500, "\(compacted.output)")
        #expect(
            workspace.read("data/audit.log").contains(#""event":"compact","outcome":"done","credential":"operator "#))
        if isServed { #expect(try gateway.stop() == .exit(0)) }
    }

    /// Another master key wraps the same keys: no value is touched, and in the end the old one opens nothing any more.
    @Test func theMasterKeyChangesWhileItServes() throws {
        let workspace = try Setting.workspace()
        let options = ["--config", workspace.path(of: "cloakroom.yaml")]
        var gateway = try GatewayProcess(in: workspace)
        let alias = try alias(gateway)
        let next = try key("next.key", in: workspace)
        let changed = try Command.cloakroom(["keys", "master", "--new-file", next] + options, in: workspace)
        #expect(changed.end == .exit(0), "\(changed.errors)")
        #expect(try value(of: alias, gateway) == "older than its key")
        #expect(try gateway.stop() == .exit(0))
        // Both keys open the vault until a start with the new one has succeeded.
        gateway = try GatewayProcess(in: workspace)
        #expect(try value(of: alias, gateway) == "older than its key")
        #expect(try gateway.stop() == .exit(0))
        gateway = try GatewayProcess(
            in: workspace, ["--set", "vault.masterKey.file=\(next)", "--set", "vault.masterKey.generate=false"])
        #expect(try value(of: alias, gateway) == "older than its key")
        #expect(try self.alias(gateway) == alias)
        #expect(try gateway.stop() == .exit(0))
        let refused = try Command.cloakroom(["serve"] + options, in: workspace)
        #expect(refused.end == .exit(1) && refused.errors.contains("master key"))
    }

    /// A change that was begun is given up by naming the key that is in use.
    @Test(arguments: [true, false])
    func aChangeOfTheMasterKeyIsGivenUp(isServed: Bool) throws {
        let workspace = try Setting.workspace()
        let options = ["--config", workspace.path(of: "cloakroom.yaml")]
        let gateway = try GatewayProcess(in: workspace)
        if !isServed { #expect(try gateway.stop() == .exit(0)) }
        func change(_ file: String) throws -> Command {
            try Command.cloakroom(["keys", "master", "--new-file", file] + options, in: workspace)
        }
        func lines() throws -> [String] { try Command.cloakroom(["keys", "status"] + options, in: workspace).lines }
        let next = try key("next.key", in: workspace)
        #expect(try change(next).output.contains("restart with it"))
        #expect(try lines().allSatisfy { $0.contains("changing to") })
        let given = try change(workspace.path(of: "data/master.key"))
        #expect(given.end == .exit(0) && given.output.contains("under no other"), "\(given.output) \(given.errors)")
        #expect(try !lines().contains { $0.contains("changing to") })
        #expect(try Command.cloakroom(["keys", "rotate"] + options, in: workspace).end == .exit(0))
        // The message says which file.
        try workspace.write("no key", to: "no.key")
        chmod(workspace.path(of: "no.key"), 0o600)
        let refused = try change(workspace.path(of: "no.key"))
        #expect(refused.end == .exit(1) && refused.errors.contains("no.key: it is neither"), "\(refused.errors)")
        if isServed { #expect(try gateway.stop() == .exit(0)) }
        let other = try Command.cloakroom(
            ["serve", "--set", "vault.masterKey.file=\(next)", "--set", "vault.masterKey.generate=false"] + options,
            in: workspace)
        #expect(other.end == .exit(1) && other.errors.contains("master key"))
    }

    /// Whoever does not hold the master key may not, though the listener is open to every process of the machine.
    @Test func strangersChangeNoKeys() throws {
        let gateway = try GatewayProcess(in: Setting.workspace())
        let forged = "Cloakroom \(Int(Date.now.timeIntervalSince1970)):00:\(String(repeating: "0", count: 64))"
        let operations = [
            "/keys/rotate", "/keys/rewrap", "/keys/master", "/keys/status", "/vault/compact", "/vault/backup",
        ]
        for path in operations {
            #expect(try gateway.admin("GET", path).status == 405, "\(path)")
            for credential in [nil, User.dev.authorization, forged] {
                let headers = credential.map { ["Authorization": $0] } ?? [:]
                let answer = try gateway.admin("POST", path, headers, body: "{}")
                #expect(answer.status == 403, "\(path): \(answer.status)")
            }
        }
    }

    /// An upgrade can't be undone: commands leave a vault of format 2 as it is, and say what to do.
    @Test(arguments: [["keys", "status"], ["keys", "rotate"], ["compact"], ["backup", "copy.db"]])
    func commandsDoNotUpgradeAVault(command: [String]) throws {
        let workspace = try Setting.workspace()
        let fixture = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("VaultSQLiteTests/Fixtures/format2.db")
        let vault = try Data(contentsOf: fixture)
        let place = URL(fileURLWithPath: workspace.path(of: "data/vault.db"))
        try FileManager.default.createDirectory(
            atPath: workspace.path(of: "data"), withIntermediateDirectories: true)
        try vault.write(to: place)
        _ = try key("data/master.key", in: workspace)
        let options = ["--config", workspace.path(of: "cloakroom.yaml")]
        let run = try Command.cloakroom(command + options, in: workspace)
        #expect(run.end == .exit(1) && run.errors.contains("serve` upgrades it"), "\(run.errors)")
        #expect(try Data(contentsOf: place) == vault)
    }

    /// Names that SQLite takes for something else than a file, or for another one.
    @Test(arguments: [":memory:", "file:y.db?mode=memory", "file:x.db"])
    func aBackupGoesIntoTheFileOfThatName(name: String) throws {
        let workspace = try Setting.workspace()
        let gateway = try GatewayProcess(in: workspace)
        let alias = try alias(gateway)
        let options = ["--config", workspace.path(of: "cloakroom.yaml")]
        let before = try FileManager.default.contentsOfDirectory(atPath: workspace.path(of: "."))
        // A name without a folder, as it is given at a prompt.
        let shell = ["-c", #"cd "$0" && exec "$@""#, workspace.path(of: "."), Place.binary, "backup", name]
        #expect(try Command("/bin/sh", shell + options, in: workspace).end == .exit(0))
        let after = try FileManager.default.contentsOfDirectory(atPath: workspace.path(of: "."))
        #expect(Set(after).subtracting(before).filter { !$0.hasPrefix("errors-") } == [name])
        let made = try FileManager.default.attributesOfItem(atPath: workspace.path(of: name))
        #expect(made[.posixPermissions] as? Int == 0o600)
        #expect(try gateway.stop() == .exit(0))
        rename(workspace.path(of: name), workspace.path(of: "copy.db"))
        let next = try GatewayProcess(
            in: workspace, ["--set", "vault.sqlite.path=\(workspace.path(of: "copy.db"))"])
        #expect(try value(of: alias, next) == "older than its key")
    }

    /// A copy made under load opens with the same key and holds what was acknowledged before it.
    @Test func aBackupIsAVault() throws {
        let workspace = try Setting.workspace()
        let options = ["--config", workspace.path(of: "cloakroom.yaml")]
        var gateway = try GatewayProcess(in: workspace)
        let alias = try alias(gateway)
        let copy = workspace.path(of: "copy.db")
        #expect(try Command.cloakroom(["backup", copy] + options, in: workspace).end == .exit(0))
        #expect(
            try Command.cloakroom(["backup", copy] + options, in: workspace).end == .exit(1), "it is there already")
        #expect(try gateway.stop() == .exit(0))
        gateway = try GatewayProcess(in: workspace, ["--set", "vault.sqlite.path=\(copy)"])
        #expect(try value(of: alias, gateway) == "older than its key")
    }
}
