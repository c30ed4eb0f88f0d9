import EventIOTesting
import FileTesting
import FormSchema
import Foundation
import Gateway
import Testing

@testable import Configuration

/// What a reload takes (docs/reference/access.md section 6).
@Suite struct ConfigurationChangeTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder(["forms/a.yaml": "form: a\nfields: [{name: n}]\n"])
    }

    private func read(_ text: String) throws -> LoadedConfiguration {
        try folder.write("forms: forms\n" + text, to: "c.yaml")
        return Configuration.load(file: folder.path + "/c.yaml")
    }

    private func configuration(_ text: String) throws -> Configuration {
        let loaded = try read(text)
        return try #require(loaded.configuration, "\(loaded.mistakes)")
    }

    @Test(
        arguments: [
            ("log: {level: debug}", ["log.level"], []), ("log: {format: text}", [], ["log.format"]),
            ("server: {rateLimit: 7, workers: 3}", ["server.rateLimit"], ["server.workers"]),
            ("server: {listen: [\"127.0.0.1:1\"]}", [], ["server.listen"]),
            (
                "server: {limits: {body: 2MiB}, timeouts: {idle: 1s}, maxWait: 1s}",
                ["server.limits", "server.timeouts"], ["server.maxWait"]
            ),
            ("admin: {listen: \"127.0.0.1:1\"}", [], ["admin.listen"]),
            ("credentials: [{name: a, secret: s, scopes: []}]", ["credentials"], []),
            ("routes: [{name: r, kind: upstream, url: \"https://h\", headers: {A: b}}]", ["routes"], []),
            ("vault: {sqlite: {path: v.db}}", [], ["vault.sqlite"]), ("vault: {maxItems: 5}", ["vault.maxItems"], []),
            ("vault: {guessing: {limit: 5}}", ["vault.guessing"], []),
            ("vault: {masterKey: {file: k, generate: true}}", [], ["vault.masterKey"]),
            ("audit: {file: x.log}", [], ["audit.file"]), ("elements: {enabled: false}", ["elements.enabled"], []),
            ("auth: {jwt: [{issuer: i, audience: a, jwks: {url: \"https://h\"}}]}", ["auth"], []),
            ("docs: {enabled: false}", ["docs"], []), ("", [], []),
        ] as [(String, [String], [String])])
    func keys(text: String, taken: [String], needsRestart: [String]) throws {
        let old = try configuration("")
        let new = try configuration(text)
        let change = old.change(to: new)
        #expect(change.taken == taken && change.needsRestart == needsRestart)
        #expect(new.change(to: old) == change)
        #expect(new.change(to: new).isEmpty)
        // What needs a restart stays, everything else is taken.
        let adopted = old.adopting(new)
        #expect(adopted.change(to: new).needsRestart == needsRestart)
        #expect(adopted.change(to: new).taken == [])
        #expect(old.change(to: adopted).taken == taken)
        #expect(old.change(to: adopted).needsRestart == [])
    }

    /// Keys of a configuration with another value each, beside ``whole``.
    struct Changed: Sendable, CustomTestStringConvertible {
        let key: String
        let settings: [String]

        init(_ key: String, _ settings: String...) {
            self.key = key
            self.settings = settings
        }

        var testDescription: String { settings.joined(separator: " ") }
    }

    private static let file = TestCertificates.shared.path

    private static let taken = [
        Changed("server.tls", "server.tls.certificate=\(file("other"))", "server.tls.key=\(file("other.key"))"),
        Changed("server.tls", "server.tls.clientCA=\(file("ca"))"),
        Changed("server.limits", "server.limits.body=2MiB"), Changed("server.timeouts", "server.timeouts.idle=1s"),
        Changed("server.rateLimit", "server.rateLimit=7"), Changed("server.shutdownDelay", "server.shutdownDelay=1s"),
        Changed("server.trustedProxies", "server.trustedProxies=10.0.0.0/8"),
        Changed("credentials", "credentials[0].rateLimit=7"),
        Changed("auth", "auth.jwt={issuer: i, audience: a, jwks: {url: \"https://h\"}}"),
        Changed("routes", "routes={name: r, kind: upstream, url: \"https://h\"}"),
        Changed("forms", "forms=FOLDER/others"),
        Changed("vault.guessing", "vault.guessing.limit=5"), Changed("vault.maxItems", "vault.maxItems=5"),
        Changed("log.level", "log.level=debug"), Changed("elements.enabled", "elements.enabled=false"),
        Changed("docs", "docs.enabled=false"),
    ]

    private static let needingRestart = [
        Changed("server.listen", "server.listen=127.0.0.1:1"), Changed("server.workers", "server.workers=3"),
        Changed("server.proxyProtocol", "server.proxyProtocol=true"), Changed("server.maxWait", "server.maxWait=1s"),
        Changed("server.tls", "server={}"), Changed("admin.listen", "admin.listen=127.0.0.1:1"),
        Changed("vault.environment", "vault.environment=live"), Changed("vault.sqlite", "vault.sqlite.path=w.db"),
        Changed("vault.postgres", "vault.store=postgres", "vault.postgres.url=postgresql://127.0.0.1/vault"),
        Changed("vault.remote", "vault.store=remote", "vault.remote.url=https://v.example"),
        Changed("vault.masterKey", "vault.masterKey={file: l, generate: true}"),
        Changed("vault.volatile.ttl", "vault.volatile.ttl=5s"),
        Changed("vault.volatile.maxEntries", "vault.volatile.maxEntries=5"),
        Changed("vault.volatile.redis", "vault.volatile.redis.url=redis://127.0.0.1"),
        Changed("vault.reuse", "vault.reuse=false"), Changed("vault.aliasFallback", "vault.aliasFallback=uuid"),
        Changed("vault.idempotency", "vault.idempotency.ttl=1h"),
        Changed("vault.erase.within", "vault.erase.within=9s"), Changed("audit.file", "audit.file=x.log"),
        Changed("audit.maxBytes", "audit.maxBytes=1GiB"), Changed("audit.keep", "audit.keep=400d"),
        Changed("retention", "retention={classifier: c, keep: 1h}"), Changed("log.format", "log.format=text"),
    ]

    /// One with everything that the keys above are about.
    private func whole(_ settings: [String]) throws -> Configuration {
        let text = """
            server: {tls: {certificate: \(Self.file("server")), key: \(Self.file("server.key"))}}
            vault: {sqlite: {path: v.db}, masterKey: {file: k, generate: false}}
            credentials: [{name: a, secret: {file: s}, scopes: []}]
            """
        try folder.write((UInt8(0)..<32).map { String(format: "%02x", $0) }.joined(), to: "k")
        chmod(folder.path + "/k", 0o600)
        try folder.write("a secret of more than sixteen", to: "s")
        try folder.write("form: a\nfields: [{name: n}]\naccess: {validate: public}\n", to: "forms/a.yaml")
        try folder.write("form: b\nfields: [{name: n}]\naccess: {validate: public}\n", to: "others/b.yaml")
        try folder.write("forms: forms\n" + text, to: "c.yaml")
        let overrides = settings.compactMap { Override($0.replacing("FOLDER", with: folder.path)) }
        let loaded = Configuration.load(file: folder.path + "/c.yaml", overrides: overrides)
        return try #require(loaded.configuration, "\(loaded.mistakes)")
    }

    /// What a reload takes is in use, whatever else waits for a restart.
    @Test(arguments: needingRestart) func eachTakenKeyBesideOneThatNeedsARestart(waiting: Changed) throws {
        let old = try whole([])
        // Without TLS there is no other certificate.
        for taken in Self.taken where taken.key != waiting.key {
            let new = try whole(waiting.settings + taken.settings)
            #expect(old.change(to: new) == ConfigurationChange(taken: [taken.key], needsRestart: [waiting.key]))
            let adopted = old.adopting(new)
            #expect(old.change(to: adopted) == ConfigurationChange(taken: [taken.key]), "\(taken)")
            #expect(adopted.change(to: new) == ConfigurationChange(needsRestart: [waiting.key]), "\(taken)")
        }
    }

    @Test func eachKeyIsAmongThem() {
        #expect(Set(ReloadedKey.all.filter(\.needsRestart).map(\.path)) == Set(Self.needingRestart.map(\.key)))
        #expect(Set(ReloadedKey.all.filter { !$0.needsRestart }.map(\.path)) == Set(Self.taken.map(\.key)))
    }

    @Test func outcomes() throws {
        let old = try configuration("")
        guard case .taken(let taken, _) = old.reloading(try read("log: {level: error}")) else {
            return #expect(Bool(false))
        }
        #expect(taken.log.level == .error)
        guard
            case .partlyNeedsRestart(let partly, let change) = old.reloading(
                try read("log: {level: error}\nserver: {workers: 3}"))
        else { return #expect(Bool(false)) }
        #expect(partly.log.level == .error && partly.server.workers == 0)
        #expect(change == old.change(to: try configuration("log: {level: error}\nserver: {workers: 3}")))
        guard case .refused(let mistakes) = old.reloading(try read("log: {level: loud}")) else {
            return #expect(Bool(false))
        }
        #expect(mistakes.map(\.path) == ["log.level"])
    }

    /// The environment and the listeners of a process stay: what the file has lost with them must not open them.
    @Test(arguments: [
        ("", ["credentials"]),
        ("credentials: [{name: a, secret: inline-secret-of-a, scopes: []}]", ["credentials[0].secret"]),
        ("vault: {environment: live}", ["vault.masterKey", "credentials"]),
        ("credentials: [{name: a, secret: {file: s}, scopes: []}]", ["access"]),
    ])
    func aFileThatLostItsRestOpensNothing(rest: String, paths: [String]) throws {
        try folder.write("a secret of more than sixteen", to: "s")
        try folder.write("form: a\nfields: [{name: n}]\naccess: {send: public}\n", to: "forms/a.yaml")
        let live = try configuration(
            """
            vault: {environment: live, sqlite: {path: v.db}, masterKey: {file: k, generate: true}}
            credentials: [{name: a, secret: {file: s}, scopes: []}]
            """)
        try folder.write("form: a\nfields: [{name: n}]\n", to: "forms/a.yaml")
        try folder.write("forms: forms\n" + rest, to: "c.yaml")
        let again = Configuration.load(file: folder.path + "/c.yaml", running: live)
        for path in paths { #expect(again.mistakes.contains { $0.path == path }, "\(again.mistakes)") }
        guard case .refused = live.reloading(again) else { return #expect(Bool(false), "taken") }
    }

    /// So must a credential that everybody knows not, where others can connect until the next start.
    @Test func listenersThatStayAreReachable() throws {
        let open = "credentials: [{name: a, secret: {file: s}, scopes: []}]\nserver: {listen: [\"0.0.0.0:1\"]}\n"
        try folder.write("a secret of more than sixteen", to: "s")
        let running = try configuration(open)
        try folder.write("forms: forms\nserver: {listen: [\"127.0.0.1:1\"]}\n", to: "c.yaml")
        let again = Configuration.load(file: folder.path + "/c.yaml", running: running)
        #expect(again.mistakes.map(\.path) == ["credentials"])
        #expect(Configuration.load(file: folder.path + "/c.yaml").mistakes.isEmpty)
    }

    /// Forms are judged by the vault and the environment that run on, not by what needs a restart.
    @Test func formsFollowWhatRuns() throws {
        try folder.write(
            "form: a\nfields: [{name: n, tokenization: {format: FPE_SIX_T_FOUR}}]\naccess: {validate: public}\n",
            to: "forms/a.yaml")
        try folder.write("a secret of more than sixteen", to: "s")
        let rest =
            "sqlite: {path: v.db}, masterKey: {file: k, generate: true}}\n"
            + "credentials: [{name: a, secret: {file: s}, scopes: []}]\n"
        let running = try configuration("vault: {" + rest)
        for (setting, path) in [
            ("aliasFallback: uuid", "vault.aliasFallback"), ("environment: live", "vault.environment"),
        ] {
            try folder.write("forms: forms\nvault: {\(setting), " + rest, to: "c.yaml")
            let again = Configuration.load(file: folder.path + "/c.yaml", running: running)
            guard case .partlyNeedsRestart(let taken, let change) = running.reloading(again) else {
                Issue.record("\(again.mistakes)")
                continue
            }
            #expect(change.needsRestart == [path] && change.taken == [])
            let (old, new) = (running.forms[0].access, taken.forms[0].access)
            #expect(old.tokens == new.tokens && old.send == new.send && old.validate == new.validate)
            #expect(taken.formContext.aliasFallback == .none && !taken.formContext.closesUnnamedAccess)
        }
    }

    /// A process whose aliases are in a remote vault reveals none, whatever the next start will have.
    @Test func revealRoutesNeedTheVaultThatRuns() throws {
        let remote = "store: remote, remote: {url: \"https://v.example\"}, "
        let rest = "sqlite: {path: v.db}, masterKey: {file: k, generate: true}}\n"
        let route = "routes: [{name: r, kind: reveal, url: \"https://h.example\", redact: []}]\n"
        let running = try configuration("vault: {\(remote)\(rest)")
        try folder.write("forms: forms\nvault: {\(rest)\(route)", to: "c.yaml")
        let again = Configuration.load(file: folder.path + "/c.yaml", running: running)
        #expect(again.mistakes.map(\.path) == ["vault.store"])
        #expect(Configuration.load(file: folder.path + "/c.yaml").mistakes.isEmpty)
    }

    /// As long as the process uses other contents of a file, each reload says so.
    @Test func contentsThatNeedARestartAreNotForgotten() throws {
        let files = TestCertificates.shared
        func put(_ name: String) throws {
            try folder.write(try String(contentsOfFile: files.path(name), encoding: .utf8), to: "ca.pem")
        }
        let text =
            "vault: {store: remote, sqlite: {path: v.db}, masterKey: {file: k, generate: true}, "
            + "remote: {url: \"https://v.example\", tls: {ca: ca.pem}}}\n"
        try put("ca")
        var running = try configuration(text)
        try put("stranger")
        for _ in 0..<3 {
            guard case .partlyNeedsRestart(let adopted, let change) = running.reloading(try read(text)) else {
                Issue.record("nothing needs a restart")
                return
            }
            #expect(change.needsRestart == ["vault.remote"])
            running = adopted
        }
        try put("ca")
        #expect(running.change(to: try configuration(text)) == ConfigurationChange())
    }

    /// Another key under the name of the one that is in use is that of the next start. The one that the start has made is in use.
    @Test(arguments: [true, false]) func anotherMasterKeyUnderItsName(isMadeByTheStart: Bool) throws {
        let text = "vault: {sqlite: {path: v.db}, masterKey: {file: k, generate: \(isMadeByTheStart)}}\n"
        func put(_ digit: String) throws {
            try folder.write(digit + String(repeating: "0", count: 63), to: "k")
            chmod(folder.path + "/k", 0o600)
        }
        if !isMadeByTheStart { try put("1") }
        var running = try configuration(text)
        if isMadeByTheStart { try put("1") }
        running.noteMasterKey()
        #expect(running.change(to: try configuration(text)).isEmpty)
        try put("2")
        for _ in 0..<3 {
            guard case .partlyNeedsRestart(let adopted, let change) = running.reloading(try read(text)) else {
                Issue.record("nothing needs a restart")
                return
            }
            #expect(change == ConfigurationChange(needsRestart: ["vault.masterKey"]))
            running = adopted
        }
        try put("1")
        #expect(running.change(to: try configuration(text)).isEmpty)
    }

    @Test func contentsOfFormsCount() throws {
        let old = try configuration("")
        try folder.write("form: a\nfields: [{name: n}, {name: o}]\n", to: "forms/a.yaml")
        #expect(old.change(to: try configuration("")).taken == ["forms"])
        try folder.write("form: b\nfields: [{name: n}]\n", to: "forms/b.yaml")
        #expect(old.change(to: try configuration("")).taken == ["forms"])
    }

    @Test func contentsOfCertificatesCount() throws {
        let files = TestCertificates.shared
        func put(_ name: String) throws {
            for (source, target) in [(name, "c.pem"), ("\(name).key", "k.pem")] {
                try folder.write(try String(contentsOfFile: files.path(source), encoding: .utf8), to: target)
            }
        }
        let text = "server: {tls: {certificate: c.pem, key: k.pem}}\n"
        try put("server")
        let old = try configuration(text)
        #expect(old.change(to: try configuration(text)).isEmpty)
        try put("other")
        #expect(old.change(to: try configuration(text)).taken == ["server.tls"])
        let plain = try configuration("")
        #expect(plain.change(to: old).needsRestart == ["server.tls"] && plain.adopting(old).server.tls == nil)
        #expect(old.change(to: plain).needsRestart == ["server.tls"] && old.adopting(plain).server.tls != nil)
        #expect(old.adopting(plain).change(to: old).isEmpty)
    }

    /// A file that the listener goes on with as it was, and a route takes as it is.
    @Test func aFileOfBothTheListenerAndARoute() throws {
        let files = TestCertificates.shared
        func put(_ name: String) throws {
            try folder.write(try String(contentsOfFile: files.path(name), encoding: .utf8), to: "ca.pem")
        }
        for name in ["server", "server.key"] {
            try folder.write(try String(contentsOfFile: files.path(name), encoding: .utf8), to: "\(name).pem")
        }
        let routes = "routes: [{name: r, kind: upstream, url: \"https://x.example\", tls: {ca: ca.pem}}]\n"
        let tls = "server: {tls: {certificate: server.pem, key: server.key.pem, clientCA: ca.pem}}\n"
        try put("ca")
        let old = try configuration(tls + routes)
        try put("stranger")
        let new = try configuration(routes)
        let change = old.change(to: new)
        #expect(change.taken == ["routes"] && change.needsRestart == ["server.tls"])
        let adopted = old.adopting(new)
        #expect(adopted.routes(sameAs: old) == ["echo"] && adopted.routes(sameAs: new).contains("r"))
        #expect(adopted.change(to: new).taken.isEmpty)
        // With the listener's TLS in the file again, its authority is the one that has changed.
        let again = try configuration(tls + routes)
        #expect(adopted.change(to: again).taken == ["server.tls"] && adopted.hasOtherClientAuthority(than: again))
    }
}
