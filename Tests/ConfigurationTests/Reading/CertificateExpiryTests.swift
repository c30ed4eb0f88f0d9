import EventIOTesting
import FileTesting
import FormSchema
import Gateway
import Testing

@testable import Configuration

/// Certificates that have expired, or soon will.
@Suite struct CertificateExpiryTests {
    private static let files = TestCertificates.shared

    /// - Parameter days: from now until the certificates expire.
    private func read(_ text: String, days: [Int64], beginsIn begin: Int64 = 0) throws -> LoadedConfiguration {
        var dependencies = LoaderDependencies.gateway
        dependencies.now = { 1_000_000_000 }
        dependencies.tls.beginnings = { _ in [1_000_000_000, 1_000_000_000 + begin] }
        dependencies.tls.expiries = { _ in days.map { 1_000_000_000 + $0 * 86_400 } }
        let folder = try TemporaryFolder([
            "c.yaml": text.replacing("$server.key", with: Self.files.path("server.key"))
                .replacing("$server", with: Self.files.path("server")).replacing("$ca", with: Self.files.path("ca"))
        ])
        return Configuration.load(file: folder.path + "/c.yaml", with: dependencies)
    }

    /// Each certificate of a chain is needed; of authorities, one that has not expired is enough.
    @Test(
        arguments: [
            ([40], nil, nil), ([29], "warning", "warning"), ([0], "mistake", "mistake"), ([-1], "mistake", "mistake"),
            ([40, -1], "mistake", nil), ([-1, 40], "mistake", nil), ([-1, -2], "mistake", "mistake"), ([], nil, nil),
        ] as [([Int64], String?, String?)])
    func expiries(days: [Int64], ofChain: String?, ofAuthorities: String?) throws {
        let server = "server: {tls: {certificate: $server, key: $server.key}}\n"
        let chain = try read(server, days: days)
        #expect(chain.mistakes.map(\.path) == (ofChain == "mistake" ? ["server.tls.certificate"] : []))
        #expect(chain.warnings.contains { $0.path == "server.tls.certificate" } == (ofChain == "warning"))
        let route = "routes: [{name: r, kind: upstream, url: \"https://h\", tls: {ca: $ca}}]\n"
        let authorities = try read(route, days: days)
        #expect(authorities.mistakes.map(\.path) == (ofAuthorities == "mistake" ? ["routes[0].tls.ca"] : []))
        #expect(authorities.warnings.contains { $0.path == "routes[0].tls.ca" } == (ofAuthorities == "warning"))
        #expect(
            (authorities.mistakes + authorities.warnings).filter { $0.path == "routes[0].tls.ca" }
                .allSatisfy { $0.message.contains(Self.files.path("ca")) })
    }

    /// Clients would refuse it until then.
    @Test(arguments: [(0, false), (1, true)])
    func aCertificateThatIsNotValidYet(begin: Int64, isWarnedOf: Bool) throws {
        let server = "server: {tls: {certificate: $server, key: $server.key}}\n"
        let warnings = try read(server, days: [400], beginsIn: begin).warnings
        #expect(warnings.contains { $0.message.contains("is not valid before 2001-09-09T01:46:41Z") } == isWarnedOf)
    }

    /// As OpenSSL reads them.
    @Test func expiriesAreThoseOfTheFile() throws {
        let read = LoaderDependencies.gateway.tls.expiries
        let now = LoaderDependencies.gateway.now()
        let expiries = read(Self.files.path("server"))
        #expect(!expiries.isEmpty && expiries.allSatisfy { $0 > now && $0 < now + 200 * 365 * 86_400 })
        #expect(read(Self.files.path("server.key")) == [])
        #expect(read("/no/such/file") == [])
    }
}
