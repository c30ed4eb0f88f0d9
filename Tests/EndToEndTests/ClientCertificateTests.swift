import Foundation
import JSON
import ProcessTesting
import Testing

/// Clients that are known by their certificates.
@Suite(.waits) struct ClientCertificateTests {
    private let workspace: Workspace
    private let certificates: Certificates
    private let gateway: GatewayProcess

    init() throws {
        let credentials = """
            credentials:
              - {name: dev, username: dev, secret: dev-secret, scopes: ["aliases:reveal"]}
              - {name: shop, clientCertificate: shop, scopes: ["aliases:create"]}
              - {name: till, clientCertificate: till.shop.example, scopes: ["aliases:reveal"]}

            """
        let start = Setting.base.range(of: "credentials:")?.lowerBound ?? Setting.base.endIndex
        workspace = try Setting.workspace(Setting.base[..<start] + credentials)
        certificates = try Certificates(in: workspace)
        try certificates.issue("server", for: "DNS:localhost")
        // The name of each file is the common name of its certificate.
        try certificates.issue("shop", for: "DNS:unused.example")
        try certificates.issue("other", for: "DNS:till.shop.example")
        try certificates.issue("stranger", for: "DNS:stranger.example")
        let path = workspace.path
        gateway = try GatewayProcess(
            in: workspace,
            [
                "--set",
                "server.tls={certificate: \(path)/server.pem, key: \(path)/server.key, clientCA: \(path)/ca.pem}",
            ])
    }

    /// Status of a creation of an alias.
    private func create(as name: String, _ more: String...) throws -> String {
        try Command(
            "/usr/bin/env",
            [
                "curl", "-sS", "--max-time", "30", "--cacert", certificates.authority, "--cert",
                workspace.path(of: "\(name).pem"), "--key", workspace.path(of: "\(name).key"), "-o",
                workspace.path(of: "answer"), "-w", "%{http_code}", "-H", "Content-Type: application/json", "-d",
                #"{"data":[{"value":"x","format":"UUID"}]}"#,
            ] + more + ["https://localhost:\(gateway.port)/aliases"], in: workspace
        ).output
    }

    @Test func aCertificateIsACredential() throws {
        #expect(try create(as: "shop") == "201")
    }

    @Test func aCertificateHasItsOwnScopes() throws {
        #expect(try create(as: "other") == "403")
    }

    @Test func aCertificateThatNoCredentialNamesProvesNothing() throws {
        #expect(try create(as: "stranger") == "401")
    }

    @Test func whatTheCallPresentsGoesFirst() throws {
        #expect(try create(as: "shop", "-u", "dev:dev-secret") == "403")
        #expect(try create(as: "shop", "-u", "dev:wrong") == "401")
    }

    @Test func itNeedsAnAuthority() throws {
        let other = try Setting.workspace("credentials: [{name: a, clientCertificate: b, scopes: []}]\nforms: forms/")
        let check = try Command.cloakroom(["check", "--config", other.path(of: "cloakroom.yaml")], in: other)
        #expect(check.end == .exit(1))
        #expect((check.output + check.errors).contains("clientCA"))
    }
}
