import Access
import FileTesting
import FormSchema
import Gateway
import Testing

@testable import Configuration

/// What the environment live, and listeners that others can reach, demand of the rest (docs/reference/access.md section 1).
@Suite struct ExposureTests {
    private static let hash =
        "{hash: \"pbkdf2-sha256$100000$000102030405060708090a0b0c0d0e0f$\(String(repeating: "ab", count: 32))\"}"

    private func load(_ text: String, _ files: [String: String] = [:]) throws -> LoadedConfiguration {
        let folder = try TemporaryFolder(files.merging(["c.yaml": text]) { $1 })
        return Configuration.load(file: folder.path + "/c.yaml")
    }

    private func mistakes(_ text: String, _ files: [String: String] = [:]) throws -> [String] {
        try load(text, files).mistakes.map(\.path)
    }

    private func credential(_ secret: String) -> String {
        "credentials: [{name: a, secret: \(secret), scopes: []}]\n"
    }

    private static let live = "vault: {environment: live, sqlite: {path: v.db}, masterKey: {file: k, generate: true}}\n"

    @Test func liveTakesNoSecretInTheFile() throws {
        #expect(try mistakes(Self.live) == ["credentials"])
        #expect(try mistakes(Self.live + credential("a-long-enough-secret")) == ["credentials[0].secret"])
        #expect(try mistakes(Self.live + credential("{file: s}"), ["s": "short"]) == [])
        #expect(try mistakes(Self.live + credential("{file: s}"), ["s": "dev-secret"]) == ["credentials[0].secret"])
        #expect(try mistakes(Self.live + credential(Self.hash)) == [])
        #expect(try mistakes("vault: {environment: sandbox}\n" + credential("dev-secret")) == [])
    }

    /// A hash of the secret that everybody knows is no better than the secret.
    @Test(arguments: [("dev", "dev-secret", true), ("dev", "dev-secret2", false), ("other", "dev-secret", true)])
    func liveTakesNoHashOfTheDevelopmentSecret(name: String, secret: String, isRefused: Bool) throws {
        let salted = try SaltedHash(
            of: PresentedSecret(Array(secret.utf8)), salt: [UInt8](repeating: 7, count: 16), iterations: 1_000)
        let user = name == "dev" ? "" : ", username: dev"
        let credential = "credentials: [{name: \(name)\(user), secret: {hash: \"\(salted)\"}, scopes: []}]\n"
        #expect(try mistakes(Self.live + credential) == (isRefused ? ["credentials[0].secret"] : []))
        #expect(try mistakes(credential) == [])
    }

    @Test(arguments: [
        ("server: {listen: [\"0.0.0.0:80\"]}", ["server.listen"]),
        ("server: {listen: [\"0.0.0.0:80\"], allowPlaintext: true}", []),
        ("server: {listen: [\"0.0.0.0:80\"], allowPlaintext: false}", ["server.listen"]),
        ("server: {listen: [\"127.0.0.1:80\", \"[::]:81\"]}", ["server.listen"]),
        ("server: {listen: [\"127.0.0.1:80\", \"[::1]:81\"]}", []),
        ("admin: {listen: \"10.0.0.1:9080\"}", ["admin.listen"]),
        ("admin: {listen: \"10.0.0.1:9080\", allowPlaintext: true}", []),
        ("server: {allowPlaintext: true}\nadmin: {listen: \"10.0.0.1:9080\"}", ["admin.listen"]),
    ])
    func liveListensInTheClearOnlyWhereItMay(listeners: String, expected: [String]) throws {
        #expect(try mistakes(Self.live + credential(Self.hash) + listeners) == expected)
        #expect(try mistakes(credential(Self.hash) + listeners) == [])
    }

    @Test(arguments: [
        ("0123456789abcde", 15, false), ("0123456789abcdef", 16, true), ("ÄÖÜäöüß012345678", 16, true),
    ])
    func secretsAreLongWhereOthersCanConnect(secret: String, count: Int, isTaken: Bool) throws {
        let files = ["s": secret + "\n"]
        let text = credential("{file: s}")
        #expect(secret.count == count)
        #expect(try mistakes(text, files) == [])
        let reachable = text + "server: {listen: [\"0.0.0.0:80\"]}"
        #expect(try mistakes(reachable, files) == (isTaken ? [] : ["credentials[0].secret"]))
        #expect(
            try mistakes(text + "admin: {listen: \"0.0.0.0:80\"}", files) == (isTaken ? [] : ["credentials[0].secret"]))
    }

    @Test func hashesHaveManyRoundsWhereOthersCanConnect() throws {
        let weak = credential(Self.hash.replacing("100000", with: "99999"))
        #expect(try mistakes(weak) == [])
        #expect(try mistakes(weak + "server: {listen: [\"0.0.0.0:80\"]}") == ["credentials[0].secret"])
    }

    /// A file that lost its end must not open what it had closed.
    @Test(arguments: [
        ("", true), ("access: {send: credential}\n", false), ("access: {}\n", false), ("access:\n", true),
    ])
    func formsSayWhoMayCallThem(access: String, isMistake: Bool) throws {
        let form = "form: a\n\(access)fields: [{name: n}]\n"
        let text = Self.live + credential(Self.hash) + "forms: forms\n"
        #expect(try mistakes(text, ["forms/a.yaml": form]) == (isMistake ? ["access"] : []))
        // What is not named is closed there, and open as usual elsewhere.
        if !isMistake {
            let live = try #require(try load(text, ["forms/a.yaml": form]).configuration?.forms.first?.access)
            #expect(live.validate == .credential && live.tokens == .credential && live.send == .credential)
            let usual = try load("forms: forms\n", ["forms/a.yaml": form]).configuration?.forms.first?.access
            #expect(usual?.validate == .public && usual?.tokens == .public)
        }
        let sandbox = try mistakes("forms: forms\n", ["forms/a.yaml": form])
        // A key without a value is a mistake of its own.
        #expect(sandbox == (access == "access:\n" ? ["access"] : []))
    }
}
