import FileTesting
import FormSchema
import Gateway
import Glibc
import JSON
import Testing

@testable import Configuration

/// Processes that share a vault do not know each other's VOLATILE aliases: they make none of a format that has few.
@Suite struct SharedVolatileTests {
    private func load(_ vault: String, _ tokenization: String, redact: String) throws -> LoadedConfiguration {
        let folder = try TemporaryFolder([
            "c.yaml": """
            forms: forms
            vault: {\(vault)}
            routes: [{name: r, kind: reveal, url: "https://h.example", reveal: {body: false}, redact: [\(redact)]}]

            """,
            "forms/a.yaml": "form: a\nfields: [{name: n, tokenization: {\(tokenization)}}]\n",
        ])
        return Configuration.load(file: folder.path + "/c.yaml")
    }

    private static let redis = #"volatile: {redis: {url: "redis://127.0.0.1"}}"#
    private static let long = String(repeating: "a", count: 20)

    @Test(arguments: [
        (
            vault: redis, tokenization: "format: NUM_LENGTH_PRESERVING, storage: VOLATILE", fitting: [String](),
            warned: true
        ),
        (redis, "format: FPE_SIX_T_FOUR, storage: VOLATILE", [], true),
        (redis, "format: ALPHANUMERIC_LENGTH_PRESERVING, storage: VOLATILE", [long], true),
        (redis, "format: GENERIC_T_FOUR, storage: VOLATILE", ["4111111111111111", long], false),
        (redis, "format: UUID, storage: VOLATILE", ["321", "4111111111111111", long], false),
        (redis, "format: FPE_SIX_T_FOUR", ["4111111111111111"], false),
        (
            redis + ", aliasFallback: uuid", "format: FPE_T_FOUR, storage: VOLATILE",
            ["321", "4111111111111111", long], false
        ),
        ("environment: sandbox", "format: FPE_SIX_T_FOUR, storage: VOLATILE", ["4111111111111111"], false),
    ])
    func whatFits(vault: String, tokenization: String, fitting: [String], warned: Bool) throws {
        let loaded = try load(vault, tokenization, redact: "")
        #expect(loaded.mistakes.isEmpty, "\(loaded.mistakes)")
        let paths = loaded.warnings.filter { $0.message.contains("share a vault") }.map(\.path)
        #expect(paths == (warned ? ["fields[0].tokenization.format"] : []))
        let form = try #require(loaded.configuration?.forms.first)
        for value in ["321", "4111111111111111", Self.long] {
            let text = try JSONText(parsing: Array(#"{"fields":{"n":"\#(value)"}}"#.utf8))
            let evaluation = form.evaluate(try Submission(text, for: form), today: .epoch)
            #expect((evaluation.refusal == nil) == fitting.contains(value), "\(value)")
        }
    }

    /// What one process takes is unknown to the others, where nothing keeps it for all.
    @Test(arguments: [
        (vault: postgres, storage: "VOLATILE", rule: "PERSISTENT", isWarned: true),
        (postgres, "PERSISTENT", "VOLATILE", true), (postgres, "PERSISTENT", "PERSISTENT", false),
        (postgres + ", " + redis, "VOLATILE", "VOLATILE", false),
        ("sqlite: {path: v.db}", "VOLATILE", "VOLATILE", false),
    ])
    func whatTheOthersDoNotKnow(vault: String, storage: String, rule: String, isWarned: Bool) throws {
        let key = try TemporaryFolder(["master.key": String(repeating: "0f1e", count: 16)])
        chmod(key.path + "/master.key", 0o600)
        let loaded = try load(
            vault + ", masterKey: {file: \(key.path)/master.key}", "format: UUID, storage: \(storage)",
            redact: "{pointer: /a, format: UUID, storage: \(rule)}")
        #expect(loaded.mistakes.isEmpty, "\(loaded.mistakes)")
        let warnings = loaded.warnings.filter { $0.path == "vault.volatile.redis" }
        #expect(warnings.count == (isWarned ? 1 : 0))
        let named = storage == "VOLATILE" ? "(form a)" : "(route r)"
        #expect(warnings.allSatisfy { $0.message.contains(named) })
    }

    private static let postgres = #"store: postgres, postgres: {url: "postgresql://u@localhost/d?sslmode=disable"}"#

    /// The request would be made, and its response withheld: always in a format that has few aliases for every value.
    @Test(arguments: [
        (vault: redis, rule: "format: FPE_SIX_T_FOUR, storage: VOLATILE", isMistake: true, isWarned: false),
        (redis, "format: ALPHANUMERIC_LENGTH_PRESERVING, storage: VOLATILE", false, true),
        (redis, "format: UUID, storage: VOLATILE", false, false), (redis, "format: FPE_SIX_T_FOUR", false, false),
        (redis + ", aliasFallback: uuid", "format: FPE_SIX_T_FOUR, storage: VOLATILE", false, false),
        ("environment: sandbox", "format: FPE_SIX_T_FOUR, storage: VOLATILE", false, false),
    ])
    func whatRulesMayStore(vault: String, rule: String, isMistake: Bool, isWarned: Bool) throws {
        let loaded = try load(vault, "format: UUID", redact: "{pointer: /a, \(rule)}")
        let place = "routes[0].redact[0].format"
        #expect(loaded.mistakes.map(\.path) == (isMistake ? [place] : []))
        #expect(loaded.warnings.contains { $0.path == place } == isWarned)
    }
}
