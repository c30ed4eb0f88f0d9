import Access
import FileTesting
import FormSchema
import Gateway
import Sensitive
import Testing

@testable import Configuration

@Suite struct ConfigurationTests {
    @Test(arguments: ["", "# nothing\n", "server:\ncredentials:\n", "{}"])
    func everyKeyMayBeLeftOut(text: String) throws {
        let configuration = try #require(try load(text).configuration)
        #expect(configuration.server.listen.map(\.description) == ["127.0.0.1:8080"])
        #expect(configuration.admin.description == "127.0.0.1:9080")
        #expect(configuration.credentials.map(\.name) == ["dev"])
        #expect(configuration.vault.maxItems == 20)
        #expect(configuration.routeLines == ["route echo echo -"])
    }

    @Test func allMistakesAreFoundAtOnce() throws {
        let loaded = try load(
            """
            server:
              listen: 127.0.0.1:8080
              limits: {body: 1 fortnight, headerCount: 0}
              timeouts: {header: 10}
              wrokers: 2
            admin: {listen: nowhere}
            credentials:
              - {name: a, secret: s, scopes: [aliases:craete]}
              - {name: a, secret: {file: /no/such/file}, scopes: []}
            vault: {environment: test, store: postgres, masterKey: {file: gone.key}, reuse: "yes"}
            log: {level: loud}
            frms: x
            """)
        #expect(loaded.configuration == nil)
        let expected: Set<String> = [
            "2 server.listen", "3 server.limits.body", "3 server.limits.headerCount", "4 server.timeouts.header",
            "5 server.wrokers", "6 admin.listen", "8 credentials[0].scopes[0]", "9 credentials[1].name",
            "9 credentials[1].username", "9 credentials[1].secret.file", "10 vault.environment", "10 vault.postgres",
            "10 vault.masterKey.file", "10 vault.reuse", "11 log.level", "12 frms",
        ]
        #expect(Set(places(loaded)).subtracting(expected) == ["9 credentials[1]"])
        #expect(expected.subtracting(Set(places(loaded))) == ["9 credentials[1].username"])
        #expect(loaded.mistakes.first { $0.path == "server.wrokers" }?.message == "unknown key (workers?)")
        #expect(loaded.mistakes.first { $0.path == "frms" }?.message == "unknown key (forms?)")
    }

    /// A key without a value is as good as left out, but not beside another of its name.
    @Test func repeatedKeysAreMistakesAmongOthers() throws {
        let loaded = try load(
            "server:\nlog: {level: loud}\nserver: {workers: 2}\nvault: {reuse: true, reuse: true}\nfrms: x\n")
        let expected = ["2 log.level", "3 server", "4 vault.reuse", "5 frms"]
        #expect(places(loaded).sorted() == expected)
        #expect(loaded.mistakes.filter { $0.message == "given twice" }.count == 2)
    }

    /// That a key counts as left out is said of those that there are.
    @Test(arguments: [("serverz:\nserver:\n", [], "1 serverz"), ("", ["a="], "a"), ("", ["frms=~"], "frms")])
    func unknownKeysWithoutAValueAreMistakes(text: String, overrides: [String], place: String) throws {
        let loaded = try load(text, overrides)
        #expect(places(loaded) == [place])
        #expect(loaded.mistakes.first?.message.hasPrefix("unknown key (") == true)
    }

    @Test func overridesBeatTheFile() throws {
        let loaded = try load(
            "server: {listen: [\"127.0.0.1:1\", \"127.0.0.1:2\"], workers: 3}\n",
            [
                "server.listen=127.0.0.1:0", "server.limits.body=2MiB", "vault.reuse=false", "log.level=error",
                "routes[0].name=up", "routes[0].kind=upstream", "routes[0].url=https://h.example/in",
                "routes[0].methods=PUT", "routes[0].paths=/orders",
            ])
        let configuration = try #require(loaded.configuration)
        #expect(configuration.server.listen.map(\.description) == ["127.0.0.1:0"])
        #expect(configuration.server.workers == 3)
        #expect(configuration.server.limits.body == 2 << 20)
        #expect(!configuration.vault.reuse)
        #expect(configuration.routeLines == ["route echo echo -", "route up upstream https://h.example/in"])
        #expect(configuration.routes.last?.methods == ["PUT"])
    }

    /// A comment has no place on the command line: what looks like one is the end of a secret.
    @Test(arguments: [
        ("first #second", "first #second"), (" spaced ", " spaced "), ("'quoted' # comment", "quoted"), ("#", "#"),
        ("a: b: c", "a: b: c"),
    ])
    func textOnTheCommandLineIsTakenWhole(given: String, secret: String) throws {
        let overrides = ["credentials[0].name=a", "credentials[0].scopes=[]", "credentials[0].secret=\(given)"]
        let loaded = try load("log: {level: info}\n", overrides)
        let credential = try #require(loaded.configuration, "\(loaded.mistakes)").credentials.first
        #expect(credential?.secrets == [.text(SensitiveText(secret))])
    }

    /// One value for a list is a list of one.
    @Test func oneValueForAList() throws {
        let loaded = try load(
            "vault: {store: postgres, postgres: {url: {env: URL}}, masterKey: {env: KEY}}\n",
            ["retention={classifier: x, keep: 1d}", "vault.postgres.accept=fsyncOff"])
        #expect(!loaded.mistakes.contains { $0.message.contains("expected a list") }, "\(loaded.mistakes)")
    }

    @Test func mistakesOfTheCommandLineNameIt() throws {
        let loaded = try load("server: {workers: 1}", ["server.workers=many"])
        #expect(loaded.mistakes.map(\.description) == ["--set: server.workers: expected a whole number, found text"])
    }

    /// What YAML does not take in a file is no more taken there.
    @Test(arguments: [
        ("log={level: info, <<: {format: text}}", "log"), ("log.level=!evil info", "log.level"),
        ("server.proxyProtocol=!!bool true", "server.proxyProtocol"),
    ])
    func theCommandLineIsReadAsTheFileIs(setting: String, path: String) throws {
        let loaded = try load("server: {workers: 1}", [setting])
        #expect(loaded.mistakes.contains { $0.file == "--set" && $0.path == path }, "\(loaded.mistakes)")
    }

    @Test(arguments: [
        "server", "=1", "a..b=1", "a[x]=1", "a[-1]=1", "[0]=1", "a[+0]=1",
        String(repeating: "a.", count: 64) + "b=1", "a" + String(repeating: "[0]", count: 40_000) + "=1",
    ])
    func notOverrides(text: String) {
        #expect(Override(text) == nil)
    }

    @Test func secretsStandInTheOpenOnLoopbackAlone() throws {
        let credential = "credentials: [{name: a, secret: plain, scopes: []}]\n"
        let onLoopback = try load(credential)
        #expect(onLoopback.mistakes.isEmpty)
        #expect(onLoopback.warnings.map(\.path) == ["credentials[0].secret"])
        let reachable = try load(credential + "server: {listen: [\"0.0.0.0:8080\"]}\n")
        #expect(reachable.mistakes.map(\.path) == ["credentials[0].secret"])
        let development = try load("admin: {listen: \"0.0.0.0:9080\"}\n")
        #expect(development.mistakes.map(\.path) == ["credentials"])
        #expect(!(reachable.mistakes + reachable.warnings).contains { $0.description.contains("plain") })
    }

    @Test func secretsComeFromFilesAndHashes() throws {
        let folder = try TemporaryFolder(["secret.txt": "\u{FEFF}from-a-file-16ch\n"])
        let hash = "pbkdf2-sha256$100000$000102030405060708090a0b0c0d0e0f$" + String(repeating: "ab", count: 32)
        try folder.write(
            """
            server: {listen: ["0.0.0.0:8080"]}
            credentials:
              - {name: a, secret: {file: secret.txt}, scopes: []}
              - {name: b, secret: {hash: "\(hash)"}, scopes: []}
            """, to: "c.yaml")
        let loaded = Configuration.load(file: folder.path + "/c.yaml")
        #expect(loaded.mistakes.isEmpty)
        let secrets = try #require(loaded.configuration).credentials.flatMap(\.secrets)
        guard case .text(let text) = secrets[0], case .hash(let given) = secrets[1] else { return #expect(Bool(false)) }
        #expect(text.exposed == "from-a-file-16ch")
        #expect(given.description == hash)
    }

    @Test func relativePathsStartAtTheFileThatNamesThem() throws {
        let folder = try TemporaryFolder(["c.yaml": "vault: {sqlite: {path: data/v.db}}\n"])
        let file = folder.path + "/c.yaml"
        #expect(Configuration.load(file: file).configuration?.vault.sqlitePath == folder.path + "/data/v.db")
        let overridden = Configuration.load(file: file, overrides: [try #require(Override("vault.sqlite.path=v.db"))])
        #expect(overridden.configuration?.vault.sqlitePath == "v.db")
    }

    @Test func oneBrokenFormDoesNotHideAnother() throws {
        let folder = try TemporaryFolder([
            "c.yaml": "forms: forms\n",
            "forms/a.yaml": "form: a\nfields: [{name: x, typ: cvc}]\n",
            "forms/b.yml": "form: [\n",
            "forms/c.json": "{\"form\": \"c\", \"fields\": [{\"name\": \"x\"}]}",
            "forms/d.yaml": "form: c\nfields: [{name: y}]\n",
            "forms/e.yaml": "form: e\nroute: nowhere\nfields: [{name: y}]\n",
            "forms/notes.txt": "not a form",
        ])
        let loaded = Configuration.load(file: folder.path + "/c.yaml")
        let files = Set(loaded.mistakes.compactMap { $0.file?.split(separator: "/").last.map(String.init) })
        #expect(files == ["a.yaml", "b.yml", "d.yaml", "e.yaml"])
    }
}
