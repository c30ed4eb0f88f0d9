import EventIO
import EventIOTesting
import Interposing
import Testing

@Suite struct WipingTests {
    /// Head and body of a request go into one TLS record by a copy, which is wiped.
    @Test func theCopyForARecordIsWiped() async throws {
        let certificates = TestCertificates.shared
        let server = try TLSServerContext(
            certificateChain: certificates.path("server"), privateKey: certificates.path("server.key"))
        let client = try TLSClientContext(trustedCA: certificates.path("ca"))
        let marker = Array("record 4539601234594134".utf8)
        let watched = interposed_watch(marker, marker.count)
        try await withLoop { loop in
            let (near, far) = try await connectedPair(on: loop)
            near.deadline = testDeadline
            far.deadline = testDeadline
            let accepting = Task(executorPreference: loop) { try await far.secure(asServer: server) }
            try await near.secure(asClient: client, of: "localhost")
            try await accepting.value
            try await near.write(Array(marker[..<9]), Array(marker[9...]))
            near.close()
            far.close()
        }
        #expect(interposed_wipes(watched) >= 1)
    }
}
