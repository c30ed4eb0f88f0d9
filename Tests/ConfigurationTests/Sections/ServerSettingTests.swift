import Access
import FileTesting
import FormSchema
import Gateway
import Testing

@testable import Configuration

/// Keys of `server`, `vault` and `elements` with a range of their own.
@Suite struct ServerSettingTests {
    @Test func whatIsGiven() throws {
        let configuration = try #require(
            try load(
                """
                server: {maxWait: 250ms, shutdownDelay: 5s, trustedProxies: [10.0.0.0/8], proxyProtocol: true}
                vault: {guessing: {limit: 5, window: 10m}, idempotency: {ttl: 1h, maxBytes: 2MiB, maxEntries: 1000}}
                elements: {enabled: false}
                """
            ).configuration)
        let (server, vault) = (configuration.server, configuration.vault)
        #expect(server.maxWait == .milliseconds(250) && server.shutdownDelay == .seconds(5) && server.proxyProtocol)
        #expect(server.trustedProxies == ["10.0.0.0/8"].compactMap { Network($0) })
        #expect(vault.guessing.limit == 5 && vault.guessing.window == .seconds(600))
        #expect(vault.idempotency.ttl == .seconds(3_600) && vault.idempotency.maxBytes == 2 << 20)
        #expect(vault.idempotency.maxEntries == 1_000 && !configuration.servesElements)
    }

    @Test func defaults() throws {
        let configuration = try #require(try load("").configuration)
        #expect(configuration.server.maxWait == .milliseconds(500) && configuration.server.shutdownDelay == .zero)
        #expect(configuration.server.trustedProxies.isEmpty && !configuration.server.proxyProtocol)
        #expect(configuration.vault.guessing.limit == 20 && configuration.vault.guessing.window == .seconds(3_600))
        #expect(configuration.vault.idempotency.ttl == .seconds(86_400) && configuration.servesElements)
    }

    @Test(arguments: [
        "server: {maxWait: 0s}", "server: {maxWait: 500}", "server: {shutdownDelay: 2h}",
        "server: {trustedProxies: [10.0.0.0/33]}", "server: {proxyProtocol: v1}", "server: {trustedProxies: []}",
        "vault: {guessing: {limit: 0}}", "vault: {guessing: {window: 2d}}", "vault: {idempotency: {ttl: 1s}}",
        "vault: {idempotency: {maxBytes: 1}}", "vault: {idempotency: {maxEntries: 1}}", "elements: {enabled: 1}",
        "docs: {enabled: 1}", "vault: {volatile: {redis: {url: x}}}",
    ])
    func mistakes(text: String) throws {
        #expect(try load(text + "\n").mistakes.count == 1)
    }

    @Test(arguments: [
        ("10.0.0.1/8", "has bits set behind the first 8: the network is 10.0.0.0/8"),
        ("2001:db8::1/32", "has bits set behind the first 32: the network is 2001:db8::/32"),
        ("10.0.0.0/33", "not a network in CIDR form (such as 10.0.0.0/8, 2001:db8::/32 or 192.0.2.7)"),
        ("ten", "not a network in CIDR form (such as 10.0.0.0/8, 2001:db8::/32 or 192.0.2.7)"),
    ])
    func whatIsWrongWithANetworkIsSaid(network: String, message: String) throws {
        #expect(try load("server: {trustedProxies: [\"\(network)\"]}\n").mistakes.map(\.message) == [message])
    }

    /// A limit on bodies that leaves no room for the content of files is told at each field that may hold one.
    @Test(arguments: [("1200", true), ("2KiB", true), ("4KiB", false), ("1MiB", false)])
    func aLimitThatLeavesNoRoomForFilesIsWarnedOf(limit: String, isWarned: Bool) throws {
        let folder = try TemporaryFolder([
            "c.yaml": "server: {limits: {body: \(limit)}}\n",
            "forms/f.yaml":
                "form: f\nfields: [{name: n}, {name: scan, type: file}, {name: id, type: file, file: {}}]\n",
        ])
        let loaded = Configuration.load(file: folder.path + "/c.yaml")
        let warned = loaded.warnings.filter { $0.message.contains("server.limits.body") }.map(\.path)
        #expect(warned == (isWarned ? ["fields[1]", "fields[2]"] : []), "\(loaded.mistakes)")
    }

    @Test(arguments: [
        ("{connect: 11s, total: 10s}", true), ("{connect: 10s, total: 10s}", false), ("{total: 5s}", false),
        ("{connect: 61s}", true),
    ])
    func connectingIsPartOfTheWhole(timeouts: String, isMistake: Bool) throws {
        let loaded = try load(
            "routes: [{name: r, kind: upstream, url: \"https://h\", timeouts: \(timeouts)}]\n")
        #expect(loaded.mistakes.map(\.path) == (isMistake ? ["routes[0].timeouts.connect"] : []))
        if timeouts == "{total: 5s}" { #expect(loaded.configuration?.routes.last?.timeouts.connect == .seconds(5)) }
    }
}
