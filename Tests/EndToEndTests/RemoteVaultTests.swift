import Foundation
import JSON
import Testing

/// Aliases that are made in somebody else's vault (vault-api, section 7): here, in another gateway.
@Suite(.waits) struct RemoteVaultTests {
    private let vault: GatewayProcess
    private let gateway: GatewayProcess

    init() throws {
        vault = try GatewayProcess(in: Setting.workspace())
        let configuration = Setting.base.replacing(
            "vault: {", with: "vault: {store: remote, remote: {url: \"http://127.0.0.1:\(vault.port)\", api: v2}, ")
        let form = Setting.memo.replacing("route: echo", with: "route: echo\naccess: {aliases: public}")
        gateway = try GatewayProcess(in: Setting.workspace(configuration, forms: ["memo": form]))
    }

    @Test func aliasesAreMadeThereWithTheCallersCredential() throws {
        let body = #"{"fields":{"note":"n","secret":"s3cr3t-value"}}"#
        let made = try gateway.post("/v1/forms/memo/aliases", body, as: .writer)
        #expect(made.status == 201)
        let alias = try #require(try made.json()["data"]?.string("secret"))
        #expect(try vault.vault("GET", "/aliases/\(alias)").bodyText.contains("s3cr3t-value"))
        // Through v1 no credential is sent on, and this vault asks for one.
        let tokens = try gateway.post("/v1/forms/memo/tokens", body, as: .writer)
        #expect(tokens.status == 401 && tokens["Cloakroom-Upstream-Status"] == "401")
        let sent = try gateway.post("/v1/forms/memo/send/x", body, as: .writer)
        #expect(sent.status == 200 && sent.bodyText.contains("tok_sandbox_") && !sent.bodyText.contains("s3cr3t"))
    }

    /// Connections to it are counted like those to upstreams.
    @Test func connectionsAreCounted() throws {
        let metrics = try gateway.admin("GET", "/metrics").bodyText
        #expect(metrics.contains("\ncloakroom_remote_vault_connections 0\n"))
        #expect(metrics.contains("\ncloakroom_remote_vault_connections_limit 2048\n"))
        #expect(metrics.contains("\ncloakroom_remote_vault_connection_refusals_total 0\n"))
    }

    @Test func itsRefusalsAreTold() throws {
        let body = #"{"fields":{"secret":"s"}}"#
        let refused = try gateway.post("/v1/forms/memo/tokens", body)
        #expect(refused.status == 401 && refused["Cloakroom-Upstream-Status"] == "401")
        let sent = try gateway.post("/v1/forms/memo/send/x", body)
        #expect(sent.status == 502)
        #expect(try sent.json()["error"]?.string("type") == "vaultRefused")
        #expect(try gateway.vault("GET", "/aliases/a").status == 501)
    }
}
