import ProcessTesting
import Testing

/// VGS's client library from PyPI, which must work by changing the host (docs/reference/access.md section 3, docs/reference/vault-api.md
/// section 2).
@Suite(.waits) struct VGSClientTests {
    @Test func theUnchangedLibraryWorks() throws {
        let gateway = try GatewayProcess(in: try Setting.workspace())
        let run = try Command(
            "\(Place.project)/.build/python/bin/python3",
            ["\(Place.project)/Tests/Access/vgs_client.py", "http://127.0.0.1:\(gateway.port)"], in: gateway.workspace)
        #expect(run.end == .exit(0), "\(run.errors)")
        #expect(try gateway.stop() == .exit(0))
    }
}
