import ProcessTesting
import Testing

/// `cloakroom check`, and what `serve` says of a configuration that is wrong.
@Suite(.waits) struct CheckTests {
    @Test func aGoodConfigurationIsSummedUp() throws {
        let configuration = """
            \(Setting.base)
            routes:
              - {name: orders, kind: upstream, url: "https://api.shop.example/in"}
              - {name: plain, kind: upstream, url: "http://127.0.0.1:8081", allowPlaintext: true}
              - {name: tenant, kind: vgs, tenantId: tntk2d7, environment: live, region: eu-1}
            """
        let workspace = try Setting.workspace(configuration, forms: Setting.deliveredForms())
        let check = try Command.cloakroom(["check", "--config", workspace.path(of: "cloakroom.yaml")], in: workspace)
        #expect(check.end == .exit(0))
        #expect(
            check.lines.filter { $0.hasPrefix("route ") } == [
                "route echo echo -", "route orders upstream https://api.shop.example/in",
                "route plain upstream http://127.0.0.1:8081",
                "route tenant vgs https://tntk2d7.live-eu-1.verygoodproxy.com",
            ])
        #expect(check.lines.filter { $0.hasPrefix("form ") }.count == 2)
        #expect(check.output.contains("checkout") && check.output.contains("identity"))
        // A secret in the file is a warning, and warnings go to standard error.
        #expect(check.errors.contains("warning: ") && !check.output.contains("warning"))
        for secret in User.allCases.map(\.secret) { #expect(!check.errors.contains(secret)) }
    }

    @Test func theDeliveredConfigurationIsGood() throws {
        let workspace = try Workspace()
        let check = try Command.cloakroom(
            ["check", "--config", "\(Place.project)/config/cloakroom.yaml"], in: workspace)
        #expect(check.end == .exit(0))
        #expect(check.lines.contains("route echo echo -"))
    }

    private static let wrong = """
        server:
          listen: ["127.0.0.1:0"]
          workerz: 2
          limits: {body: lots}
        vault:
          environment: prod
          masterKey: {file: missing.key}
        forms: forms/
        credentials:
          - {name: a, secret: {file: nowhere.txt}, scopes: ["aliases:invent"]}
        routes:
          - {name: clear, kind: upstream, url: "http://shop.example"}
          - {name: lost, kind: upstream}
          - {name: tenant, kind: vgs, tenantId: no-good, environment: livesandbox}
          - {name: headers, kind: upstream, url: "https://shop.example", forwardHeaders: [Host]}
        """
    private static let wrongForm = """
        form: bad
        route: nowhere
        fields:
          - {name: a, type: nonsense}
          - {name: b, colour: red}
          - {name: cvc, type: cvc, tokenization: {storage: PERSISTENT}}
        """

    /// File, line and key path of each.
    private static let mistakes = [
        "cloakroom.yaml:3: server.workerz", "cloakroom.yaml:4: server.limits.body",
        "cloakroom.yaml:6: vault.environment",
        "cloakroom.yaml:7: vault.masterKey", "cloakroom.yaml:10: credentials[0].secret",
        "cloakroom.yaml:10: credentials[0].scopes", "cloakroom.yaml:12: routes[0].url",
        "cloakroom.yaml:13: routes[1].url",
        "cloakroom.yaml:14: routes[2].tenantId", "cloakroom.yaml:14: routes[2].environment",
        "cloakroom.yaml:15: routes[3].forwardHeaders[0]", "forms/bad.yaml:2: route", "forms/bad.yaml:4: fields[0].type",
        "forms/bad.yaml:5: fields[1].colour", "forms/bad.yaml:6: fields[2].tokenization.storage",
    ]

    @Test(arguments: ["check", "serve"])
    func everyMistakeIsPrintedWithItsPlace(_ command: String) throws {
        let workspace = try Setting.workspace(Self.wrong, forms: ["bad": Self.wrongForm])
        let run = try Command.cloakroom([command, "--config", workspace.path(of: "cloakroom.yaml")], in: workspace)
        #expect(run.end == .exit(1))
        let said = run.output + run.errors
        for mistake in Self.mistakes { #expect(said.contains(mistake), "\(mistake) is not in \(said)") }
        #expect(!said.contains("listening on"))
    }

    private static let badUsage: [(String, Int32)] = [
        ("check --config nowhere.yaml", 1), ("serve --config nowhere.yaml", 1), ("check --set x", 2), ("bogus", 2),
        ("evaluate --now noon", 2), ("evaluate --now 1582-10-10T00:00:00Z", 2), ("evaluate --config nowhere.yaml", 2),
        ("evaluate --what", 2),
    ]

    @Test(arguments: badUsage)
    func badUsageHasItsStatus(_ arguments: String, _ status: Int32) throws {
        let run = try Command.cloakroom(arguments.split(separator: " ").map(String.init), in: Workspace())
        #expect(run.end == .exit(status))
        // What is wrong with a configuration is what `check` was asked for; everywhere else it is an error.
        let isAsked = status == 1 && arguments.hasPrefix("check")
        #expect(run.output.isEmpty != isAsked && run.errors.isEmpty == isAsked)
    }

    /// In the same words, whichever command looks for it.
    @Test(arguments: ["session --form checkout --credential dev", "audit verify", "keys status", "compact"])
    func aVaultThatIsNotThereIsTold(_ arguments: String) throws {
        let configuration = Setting.base.replacing("\"routes:send\"]", with: "\"routes:send\", \"sessions:create\"]")
        let workspace = try Setting.workspace(configuration, forms: Setting.deliveredForms())
        let run = try Command.cloakroom(
            arguments.split(separator: " ").map(String.init) + ["--config", workspace.path(of: "cloakroom.yaml")],
            in: workspace)
        #expect(run.end == .exit(1))
        #expect(run.errors.contains("there is no vault at \(workspace.path(of: "data/vault.db"))"), "\(run.errors)")
    }

    /// Only where nothing has the usual file's name is there nothing to read: whatever has it and cannot be read is no
    /// reason to start the development default.
    @Test(arguments: [("", 0), ("ln -s nowhere config/cloakroom.yaml", 1), ("mkdir config/cloakroom.yaml", 1)])
    func theUsualFileIsReadIfAnythingHasItsName(_ preparation: String, _ status: Int32) throws {
        let workspace = try Workspace()
        let shell = "cd '\(workspace.path)' && mkdir config && \(preparation.isEmpty ? "true" : preparation)"
        let run = try Command("/bin/sh", ["-c", "\(shell) && exec '\(Place.binary)' check"], in: workspace)
        #expect(run.end == .exit(status))
        #expect(run.output.contains("config/cloakroom.yaml: ") == (status == 1), "\(run.output)")
        #expect(run.errors.contains("dev:dev-secret is in use") == (status == 0))
    }

    /// `--set` beats the file; a list is made of one value.
    @Test func settingsBeatTheFile() throws {
        let workspace = try Setting.workspace()
        let file = workspace.path(of: "cloakroom.yaml")
        let bad = try Command.cloakroom(["check", "--config", file, "--set", "server.limits.body=lots"], in: workspace)
        #expect(bad.end == .exit(1) && (bad.output + bad.errors).contains("server.limits.body"))
        let good = try Command.cloakroom(
            ["check", "--config", file, "--set", "server.listen=127.0.0.1:1", "--set", "routes={name: r, kind: echo}"],
            in: workspace)
        #expect(good.end == .exit(0) && good.lines.contains("route r echo -"))
    }

    /// Anything that is not loopback needs real secrets.
    @Test func theDevelopmentCredentialStaysOnLoopback() throws {
        let workspace = try Workspace()
        try workspace.write("server: {listen: [\"0.0.0.0:0\"]}", to: "cloakroom.yaml")
        let run = try Command.cloakroom(["check", "--config", workspace.path(of: "cloakroom.yaml")], in: workspace)
        #expect(run.end == .exit(1))
    }
}
