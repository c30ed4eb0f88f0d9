import Foundation
import ProcessTesting
import Testing

/// The examples of `deploy/`: what they configure is accepted, and what they ask for exists.
@Suite(.waits) struct DeployTests {
    private func text(_ name: String) throws -> String {
        try String(contentsOfFile: "\(Place.project)/deploy/\(name)", encoding: .utf8)
    }

    /// Lines of a comment that are indented further than its text are configuration.
    private func configuration(_ name: String) throws -> String {
        try text(name).split(separator: "\n").filter { $0.contains(#/^\#   [a-z]+: /#) }.map { $0.dropFirst(4) }
            .joined(separator: "\n")
    }

    @Test(arguments: ["systemd/cloakroom.service", "compose/compose.yaml", "kubernetes/cloakroom.yaml"])
    func theConfigurationIsAccepted(_ name: String) throws {
        let workspace = try Workspace()
        var text = try configuration(name)
        #expect(text.contains("masterKey") && text.contains("credentials:"))
        let made = try Command.cloakroom(["credential"], input: "sixteen characters or more\n", in: workspace)
        let hash = try #require(made.lines.last?.dropFirst("hash: ".count)).description
        // What a comment leaves to its reader, and the folders of the machine.
        for (path, own) in [
            ("pbkdf2-sha256$…", hash),
            ("[…]", "[\"aliases:create\"]"), ("/var/lib/cloakroom", workspace.path),
            ("/run/credentials/cloakroom.service", workspace.path), ("/etc/cloakroom-forms/", "forms/"),
        ] { text = text.replacing(path, with: own) }
        try workspace.write(
            "form: pay\nfields: [{name: code, type: cvc, tokenization: {format: UUID}}]\naccess: {send: credential}\n",
            to: "forms/pay.yaml")
        try Data(0..<32).write(to: URL(filePath: workspace.path(of: "master.key")))
        #expect(chmod(workspace.path(of: "master.key"), 0o600) == 0)
        try workspace.write(text, to: "cloakroom.yaml")
        let run = try Command(
            Place.binary, ["check", "--config", workspace.path(of: "cloakroom.yaml")], in: workspace,
            environment: [
                "MASTER_KEY": Data(0..<32).base64EncodedString(),
                "DATABASE_URL": "postgresql://u:p@db.example/vault?sslmode=verify-full&sslrootcert=/dev/null",
                "REDIS_URL": "rediss://:p@redis.example:6379",
            ])
        #expect(run.end == .exit(0), "\(run.output)\(run.errors)\n\(text)")
        // A CVC that one process takes is found by the others.
        #expect(!run.errors.contains("VOLATILE"), "\(run.errors)")
    }

    /// The scripts, and the pages that they embed, are made of what the image's build gets.
    @Test func theImageGetsWhatItsBuildReads() throws {
        let workspace = try Workspace()
        let dockerfile = try String(contentsOfFile: "\(Place.project)/Dockerfile", encoding: .utf8)
        let build = try #require(dockerfile.components(separatedBy: "\nRUN make build").first)
        #expect(build != dockerfile)
        for line in build.split(separator: "\n") where line.hasPrefix("COPY ") {
            let names = line.split(separator: " ").dropFirst()
            let target = try #require(names.last)
            for name in names.dropLast() {
                try FileManager.default.copyItem(
                    atPath: "\(Place.project)/\(name)",
                    toPath: workspace.path(of: target == "./" ? String(name) : String(target)))
            }
        }
        let run = try Command(
            workspace.path(of: "Sources/Elements/Scripts/bundle"), [workspace.path(of: "bundled")], in: workspace)
        #expect(run.end == .exit(0), "\(run.output)\(run.errors)")
        #expect(FileManager.default.fileExists(atPath: workspace.path(of: "bundled/docs.js")))
    }

    /// Without a mounted configuration the image keeps its vault and key in its own folder. With one, nothing beside it counts: a value
    /// that the command set would win over the file.
    @Test func theImageStartsWithItsOwnConfigurationOrTheMountedOne() throws {
        let dockerfile = try String(contentsOfFile: "\(Place.project)/Dockerfile", encoding: .utf8)
        #expect(dockerfile.contains("\nCMD [\"serve\", \"--config\", \"/etc/cloakroom/cloakroom.yaml\"]\n"))
        let workspace = try Workspace()
        for name in ["cloakroom.yaml", "forms"] {
            try FileManager.default.copyItem(
                atPath: "\(Place.project)/config/\(name)", toPath: workspace.path(of: name))
        }
        let steps = dockerfile.matches(of: /\nRUN (sed -i .+)/).map { String($0.output.1) }
        #expect(steps.count == 1)
        for step in steps {
            let run = try Command(
                "/bin/sh", ["-c", step.replacing("/etc/cloakroom/", with: workspace.path + "/")], in: workspace)
            #expect(run.end == .exit(0), "\(run.output)\(run.errors)")
        }
        let file = workspace.path(of: "cloakroom.yaml")
        let text = try String(contentsOfFile: file, encoding: .utf8)
        #expect(text.contains("\n  sqlite: {path: /var/lib/cloakroom/vault.db}\n"))
        #expect(text.contains("\n  masterKey: {file: /var/lib/cloakroom/master.key, generate: true}\n"))
        #expect(!text.contains(".data/"))
        try text.replacing("/var/lib/cloakroom", with: workspace.path).write(
            toFile: file, atomically: false, encoding: .utf8)
        let run = try Command.cloakroom(["check", "--config", file], in: workspace)
        #expect(run.end == .exit(0), "\(run.output)\(run.errors)")
    }

    /// systemd refuses a credential that was encrypted under another name.
    @Test func theCredentialIsEncryptedUnderTheNameItIsLoadedUnder() throws {
        let unit = try text("systemd/cloakroom.service")
        let loaded = try #require(unit.firstMatch(of: /\nLoadCredentialEncrypted=([^:]+):(\S+)\n/)?.output)
        #expect(unit.contains("# systemd-creds encrypt --name=\(loaded.1) master.key \(loaded.2)\n"))
    }

    @Test func alertsNameMetricsThatExist() throws {
        let known = Set(
            try String(contentsOfFile: "\(Place.project)/docs/reference/metrics.md", encoding: .utf8)
                .matches(of: /`(cloakroom_\w+)`/).map { String($0.output.1) })
        let named = try Set(text("prometheus/alerts.yaml").matches(of: /cloakroom_\w+/).map { String($0.output) })
        #expect(named.count >= 15 && known.count >= 40)
        #expect(named.isSubset(of: known), "\(named.subtracting(known))")
    }

    /// Only where it is installed; Debian's package would start a server.
    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: DeployTests.promtool)))
    func alertsAreRulesOfPrometheus() throws {
        let run = try Command(
            Self.promtool, ["check", "rules", "\(Place.project)/deploy/prometheus/alerts.yaml"], in: Workspace())
        #expect(run.end == .exit(0), "\(run.output)\(run.errors)")
    }

    /// What the gateway writes from 0 is alerted on when it first rises, by the minute in which it does.
    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: DeployTests.promtool)))
    func alertsFireWhenACountFirstRises() throws {
        let cases = [
            (
                "CloakroomCardNumbersElsewhere", #"cloakroom_guard_findings_total{passage="request",action="report"}"#,
                "0x5 1x10"
            ),
            ("CloakroomUpstreamFails", #"cloakroom_upstream_failures_total{code="-1004"}"#, "0x5 30x10"),
            ("CloakroomSecretsTried", #"cloakroom_refused_tokens_total{instance="a",reason="expired"}"#, "0x5 60x10"),
            ("CloakroomShareUsed", "cloakroom_volatile_refusals_total", "0x5 1x10"),
            ("CloakroomStoreSlow", "cloakroom_store_waiting", "0x5 2000x10"),
        ]
        let tests = cases.map { alert, series, values in
            """
              - interval: 1m
                input_series: [{series: '\(series)', values: '\(values)'}]
                promql_expr_test:
                  - {expr: 'count(ALERTS{alertname="\(alert)", alertstate="firing"})', eval_time: 4m, exp_samples: []}
                  - {expr: 'count(ALERTS{alertname="\(alert)", alertstate="firing"})', eval_time: 8m, exp_samples: [{labels: '{}', value: 1}]}
            """
        }
        let workspace = try Workspace()
        try workspace.write(
            """
            rule_files: ["\(Place.project)/deploy/prometheus/alerts.yaml"]
            evaluation_interval: 1m
            tests:
            \(tests.joined(separator: "\n"))
            """, to: "tests.yaml")
        let run = try Command(Self.promtool, ["test", "rules", workspace.path(of: "tests.yaml")], in: workspace)
        #expect(run.end == .exit(0), "\(run.output)\(run.errors)")
    }

    fileprivate static let promtool = "/usr/bin/promtool"
}
