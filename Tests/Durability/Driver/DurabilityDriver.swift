import Glibc
import Sensitive
import Vault
import VaultSQLite

/// Works on a vault until it is killed, and says on standard output what it asks for and what it is told. Then, in a second run, holds
/// what it was told against what is there.
///
/// usage: durability-driver run FOLDER SEED
///        durability-driver verify FOLDER     (reads `kept ALIAS VALUE` and `gone ALIAS` from standard input)
@main
enum DurabilityDriver {
    static let items = 3

    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count >= 3 else { exit(2) }
        var configuration = SQLiteStoreConfiguration(path: arguments[2] + "/vault.db")
        // Small, so that merges, checkpoints and erasures come often.
        configuration.checkpointPages = 48
        configuration.checkpointRest = 8
        configuration.mergeRound = 512
        configuration.eraseWithin = .milliseconds(20)
        let store = try SQLiteAliasStore(configuration)
        let key = try MasterKey(bytes: (0..<32).map { UInt8($0) })
        let vault = try await Vault.open(VaultConfiguration(), masterKey: key, store: store)
        if arguments[1] == "verify" {
            await verify(vault)
        } else {
            await work(vault, seed: arguments.count > 3 ? arguments[3] : "0")
        }
        store.close()
    }

    /// Eight writers, each with a request at a time.
    private static func work(_ vault: Vault, seed: String) async {
        await withTaskGroup(of: Void.self) { group in
            for writer in 0..<8 {
                group.addTask {
                    var last: [String] = []
                    for number in 0..<60 {
                        let name = "\(seed)-\(writer)-\(number)"
                        say("asked \(name)")
                        if let aliases = await create(vault, name) { last = aliases }
                        if number % 3 == 2, !last.isEmpty {
                            await delete(vault, last)
                            last = []
                        }
                    }
                }
            }
        }
    }

    /// Creates the values of a request, which bear its name as their classifier.
    private static func create(_ vault: Vault, _ name: String) async -> [String]? {
        let values = (0..<items).map { "\(name)-\($0)" }
        let request = values.map { VaultItem.value(SensitiveText($0), format: .uuid, classifiers: [name]) }
        do {
            let aliases = try await vault.create(request).map { $0.aliases[0].alias }
            for (alias, value) in zip(aliases, values) { say("kept \(alias) \(value)") }
            return aliases
        } catch {
            say("failed \(name) \(error)")
            return nil
        }
    }

    private static func delete(_ vault: Vault, _ aliases: [String]) async {
        for alias in aliases { say("unsure \(alias)") }
        do {
            try await vault.delete(aliases)
            for alias in aliases { say("gone \(alias)") }
        } catch {
            say("failed deletion \(error)")
        }
    }

    private static func verify(_ vault: Vault) async {
        var wrong = 0
        while let line = readLine() {
            let words = line.split(separator: " ").map(String.init)
            guard words.count >= 2 else { continue }
            let found = try? await vault.reveal([words[1]]).first?.stored.value.exposed
            switch (words[0], found) {
            case ("kept", let value?) where value == words.last: break
            case ("gone", nil): continue
            default:
                wrong += 1
                say("wrong \(line): \(found == nil ? "unknown" : "found")")
                continue
            }
            // The same value finds its alias again.
            let again = try? await vault.create([.value(SensitiveText(words[2]), format: .uuid)])
            if again?.first?.aliases.first?.alias != words[1] {
                wrong += 1
                say("wrong \(line): another alias was made for its value")
            }
        }
        say("wrong: \(wrong)")
    }

    private static func say(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        _ = write(1, bytes, bytes.count)
    }
}
