import Foundation
import ProcessTesting
import Testing

/// The configurations that tests run on.
enum Setting {
    /// Listens anywhere, keeps everything in the workspace.
    static let base = """
        server: {listen: ["127.0.0.1:0"], workers: 2}
        admin: {listen: "127.0.0.1:0"}
        forms: forms/
        vault: {sqlite: {path: data/vault.db}, masterKey: {file: data/master.key, generate: true}}
        credentials:
          - {name: dev, username: dev, secret: dev-secret, scopes: ["aliases:create", "aliases:reveal", "aliases:update", "aliases:delete", "forms:send", "routes:send"]}
          - {name: writer, username: writer, secret: writer-secret, scopes: ["aliases:create"]}
          - {name: reader, username: reader, secret: reader-secret, scopes: ["aliases:reveal"]}

        """

    /// A workspace with this configuration and these forms.
    static func workspace(_ configuration: String = base, forms: [String: String] = [:]) throws -> Workspace {
        let workspace = try Workspace()
        try workspace.write(configuration, to: "cloakroom.yaml")
        try workspace.write("", to: "forms/.keep")
        for (name, text) in forms { try workspace.write(text, to: "forms/\(name).yaml") }
        return workspace
    }

    /// Runs a statement on the vault's file, as somebody would who can write to it. No gateway may have it open.
    static func changeVault(in workspace: Workspace, _ statement: String) throws {
        let python = "import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); c.execute(sys.argv[2]); c.commit()"
        let change = try Command(
            "/usr/bin/python3", ["-c", python, workspace.path(of: "data/vault.db"), statement], in: workspace)
        try #require(change.end == .exit(0), "\(change.errors)")
    }

    /// The forms that are delivered with the gateway.
    static func deliveredForms() throws -> [String: String] {
        try Dictionary(
            uniqueKeysWithValues: ["checkout", "identity"].map { name in
                (name, try String(contentsOfFile: "\(Place.project)/config/forms/\(name).yaml", encoding: .utf8))
            })
    }

    /// One field that is sent as it is and one that gets an alias.
    static let memo = """
        form: memo
        route: echo
        fields:
          - {name: note}
          - {name: secret, tokenization: {format: UUID}}
        """

    /// Nobody may do anything here without a credential.
    static let locked = """
        form: locked
        route: echo
        access: {validate: credential, aliases: credential, tokens: credential, send: credential}
        fields: [{name: note}]
        """

    /// Sent nowhere.
    static let nowhere = """
        form: nowhere
        fields: [{name: note}]
        """

    /// A small file.
    static let scan = """
        form: scan
        route: echo
        fields:
          - {name: docs.scan, type: file, isRequired: true, file: {maxBytes: 64, contentTypes: [image/png]}}
        """

    /// A gateway that many tests may ask, as long as they do not change how it answers others.
    static let shared = Result {
        var forms = try deliveredForms()
        forms["memo"] = memo
        forms["locked"] = locked
        forms["nowhere"] = nowhere
        forms["scan"] = scan
        return try GatewayProcess(in: try workspace(forms: forms))
    }
}
