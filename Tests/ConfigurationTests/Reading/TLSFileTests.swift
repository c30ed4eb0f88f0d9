import EventIOTesting
import FileTesting
import FormSchema
import Gateway
import Testing

@testable import Configuration

/// `check` opens the certificates and keys that `serve` is going to use for TLS.
@Suite struct TLSFileTests {
    private static let files = TestCertificates.shared

    private func load(_ yaml: String, servesRequests: Bool = true, in folder: TemporaryFolder) throws
        -> LoadedConfiguration
    {
        var yaml = yaml
        for name in ["server", "client", "other", "ca"] {
            yaml = yaml.replacing("$\(name).key", with: Self.files.path("\(name).key"))
                .replacing("$\(name)", with: Self.files.path(name))
        }
        try folder.write(yaml, to: "c.yaml")
        return Configuration.load(file: folder.path + "/c.yaml", servesRequests: servesRequests)
    }

    private static let junk = ["junk.pem": "no certificate\n"]

    @Test(arguments: [
        ("{certificate: $server, key: $server.key, clientCA: $ca}", []),
        ("{certificate: $server, key: $server.key}", []),
        ("{certificate: junk.pem, key: junk.pem, clientCA: junk.pem}", ["certificate", "key", "clientCA"]),
        ("{certificate: $server, key: $other.key}", ["key"]),
        ("{certificate: $server.key, key: $server}", ["certificate", "key"]),
        ("{certificate: junk.pem, key: $server.key, clientCA: $server.key}", ["certificate", "clientCA"]),
        ("{certificate: $server}", ["key"]), ("{certificate: /dev/null, key: gone.pem}", ["certificate", "key"]),
    ])
    func serverTLS(tls: String, keys: [String]) throws {
        let folder = try TemporaryFolder(Self.junk)
        let loaded = try load("log: {level: info}\nserver:\n  tls: \(tls)\n", in: folder)
        #expect(loaded.mistakes.map(\.path) == keys.map { "server.tls.\($0)" }, "\(loaded.mistakes)")
        #expect(loaded.mistakes.allSatisfy { $0.line == 3 && $0.file == folder.path + "/c.yaml" })
    }

    @Test(arguments: [
        ("{ca: $ca, certificate: $client, key: $client.key}", []), ("{ca: junk.pem}", ["ca"]),
        ("{certificate: junk.pem, key: junk.pem, ca: $ca}", ["certificate", "key"]),
        ("{ca: junk.pem, certificate: $client, key: $server.key}", ["ca", "key"]),
    ])
    func routeTLS(tls: String, keys: [String]) throws {
        let folder = try TemporaryFolder(Self.junk)
        let yaml = """
            routes:
              - {name: echo, kind: echo}
              - {name: orders, kind: upstream, url: "https://h", tls: \(tls)}
            """
        let loaded = try load(yaml, in: folder)
        #expect(loaded.mistakes.map(\.path) == keys.map { "routes[1].tls.\($0)" }, "\(loaded.mistakes)")
        #expect(loaded.mistakes.allSatisfy { $0.message.hasPrefix("route orders: ") && $0.line == 3 })
        #expect(try load(yaml, servesRequests: false, in: folder).mistakes.isEmpty)
    }

    /// A team's tests of its forms run where the server's secrets are not.
    @Test func nothingOfTheServersOwnIsReadToJudgeForms() throws {
        let folder = try TemporaryFolder([:])
        let yaml = """
            server: {tls: {certificate: gone.pem, key: gone.pem, clientCA: gone.pem}}
            vault: {environment: live, masterKey: {env: CLOAKROOM_NO_SUCH_VARIABLE}}
            credentials:
              - {name: a, username: a, secret: {env: CLOAKROOM_NO_SUCH_VARIABLE}, scopes: [forms:send]}
              - {name: b, username: b, secret: {file: gone.txt}, scopes: [forms:send]}
            routes: [{name: o, kind: upstream, url: "https://a.example", tls: {ca: gone.pem}}]
            """
        #expect(try load(yaml, servesRequests: false, in: folder).mistakes.isEmpty)
        #expect(try load(yaml, in: folder).mistakes.count >= 7)
    }

    @Test func aRemoteVaultsTLS() throws {
        let yaml = "vault: {store: remote, remote: {url: \"https://v\", tls: {ca: junk.pem}}}"
        let loaded = try load(yaml, in: TemporaryFolder(Self.junk))
        #expect(loaded.mistakes.map(\.path) == ["vault.remote.tls.ca"])
    }
}
