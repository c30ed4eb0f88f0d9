import COpenSSL
import EventIOTesting
import Testing

@testable import EventIO

@Suite struct TLSTests {
    private let certificates = TestCertificates.shared

    private func server(_ name: String = "server", clientCA: String? = nil) throws(IOError) -> TLSServerContext {
        try TLSServerContext(
            certificateChain: certificates.path(name), privateKey: certificates.path("\(name).key"),
            clientCA: clientCA.map(certificates.path))
    }

    private func client(trusting ca: String = "ca", as name: String? = nil) throws(IOError) -> TLSClientContext {
        try TLSClientContext(
            trustedCA: certificates.path(ca),
            identity: name.map { (certificates.path($0), certificates.path("\($0).key")) })
    }

    /// Makes the handshake and sends a greeting. Returns what the client received, or its error.
    private func exchange(
        server: TLSServerContext, client: TLSClientContext, host: String
    ) async throws -> Result<String, IOError> {
        try await withLoop { loop in
            let (near, far) = try await connectedPair(on: loop)
            near.deadline = testDeadline
            far.deadline = testDeadline
            let greeter = Task(executorPreference: loop) {
                defer { far.close() }
                try await far.secure(asServer: server)
                try await far.write(Array("hel".utf8), Array("lo".utf8))
                try await far.endWriting()
            }
            defer { near.close() }
            do throws(IOError) {
                try await near.secure(asClient: client, of: host)
                let text = try await near.readAll()
                _ = await greeter.result
                return .success(String(decoding: text, as: UTF8.self))
            } catch {
                near.close()
                _ = await greeter.result
                return .failure(error)
            }
        }
    }

    /// A dot at the end is no part of the name.
    @Test(arguments: ["localhost", "127.0.0.1", "localhost."])
    func aTrustedServerIsReached(host: String) async throws {
        #expect(try await exchange(server: server(), client: client(), host: host) == .success("hello"))
    }

    @Test(arguments: ["LOCALHOST.example", "127.0.0.2", "other.example", "*.localhost"])
    func anotherNameIsRefused(host: String) async throws {
        let outcome = try await exchange(server: server(), client: client(), host: host)
        guard case .failure(.secureConnectionFailed) = outcome else {
            Issue.record("\(outcome)")
            return
        }
    }

    /// A common name is no host name.
    @Test func aCertificateWithoutNamesIsRefused() async throws {
        let outcome = try await exchange(server: server("localhost"), client: client(), host: "localhost")
        #expect(outcome == .failure(.secureConnectionFailed(reason: "hostname mismatch")))
    }

    @Test func anUntrustedAuthorityIsRefused() async throws {
        let outcome = try await exchange(server: server(), client: client(trusting: "stranger"), host: "localhost")
        #expect(
            outcome == .failure(.secureConnectionFailed(reason: "unable to get local issuer certificate")))
    }

    @Test func clientsMustShowTheirCertificateIfAsked() async throws {
        let asking = try server(clientCA: "ca")
        #expect(
            try await exchange(server: asking, client: client(as: "client"), host: "localhost") == .success("hello"))
        let outcome = try await exchange(server: asking, client: client(), host: "localhost")
        guard case .failure = outcome else {
            Issue.record("\(outcome)")
            return
        }
    }

    /// Some new keys are taken; a peer that sends nothing else must not keep the loop.
    @Test(arguments: [(8, true), (33, false), (2_000, false)])
    func newKeysAreNoData(count: Int, isServed: Bool) async throws {
        let (server, client) = (try server(), try client())
        let outcome = try await withLoop { loop -> Result<String, IOError> in
            let (near, far) = try await connectedPair(on: loop)
            near.deadline = testDeadline
            far.deadline = testDeadline
            let peer = Task(executorPreference: loop) {
                try await near.secure(asClient: client, of: "localhost")
                let ssl = try #require(near.session?.ssl)
                for _ in 0..<count {
                    try #require(SSL_key_update(ssl, CInt(SSL_KEY_UPDATE_NOT_REQUESTED)) == 1)
                    try #require(SSL_do_handshake(ssl) == 1)
                }
                try await near.write(Array("hel".utf8), Array("lo".utf8))
                try await near.endWriting()
            }
            defer { far.close() }
            do throws(IOError) {
                try await far.secure(asServer: server)
                let text = try await far.readAll()
                _ = await peer.result
                return .success(String(decoding: text, as: UTF8.self))
            } catch {
                far.close()
                _ = await peer.result
                near.close()
                return .failure(error)
            }
        }
        #expect(
            outcome
                == (isServed
                    ? .success("hello") : .failure(.secureConnectionFailed(reason: "too many messages without data"))))
    }

    @Test func anEndWithoutCloseNotifyIsALoss() async throws {
        let (server, client) = (try server(), try client())
        try await withLoop { loop in
            let (near, far) = try await connectedPair(on: loop)
            let greeter = Task(executorPreference: loop) {
                try await far.secure(asServer: server)
                try await far.write(Array("half".utf8))
                far.close()
            }
            try await near.secure(asClient: client, of: "localhost")
            await #expect(throws: IOError.connectionLost) { try await near.readAll() }
            try await greeter.value
            near.close()
        }
    }

    /// The end of the connection has to wait for room, as all output does.
    @Test func closeNotifyIsSentToAPeerThatReadsLate() async throws {
        let (server, client) = (try server(), try client())
        try await withLoop { loop in
            let (near, far) = try await connectedPair(on: loop)
            let writer = Task(executorPreference: loop) { () async throws -> Int in
                try await far.secure(asServer: server)
                while !far.isBehind {
                    far.enqueue([UInt8](repeating: 7, count: 60_000))
                    await loop.sleep(for: .zero)
                }
                try await far.endWriting()
                far.close()
                return far.sentCount
            }
            try await near.secure(asClient: client, of: "localhost")
            // Not by the clock: one who reads beside the writer would keep it from ever being behind.
            let end = testDeadline
            while !far.isBehind, MonotonicTime.now < end { await loop.sleep(for: .milliseconds(1)) }
            try #require(far.isBehind)
            let received = try await near.readAll()
            #expect(try await writer.value == received.count)
            near.close()
        }
    }

    @Test func aPeerThatNeverReadsIsKnownToHaveNoCloseNotify() async throws {
        let (server, client) = (try server(), try client())
        try await withLoop { loop in
            let (near, far) = try await connectedPair(on: loop)
            let writer = Task(executorPreference: loop) {
                try await far.secure(asServer: server)
                while !far.isBehind {
                    far.enqueue([UInt8](repeating: 7, count: 60_000))
                    await loop.sleep(for: .zero)
                }
                far.deadline = .now + .milliseconds(20)
                await #expect(throws: IOError.timedOut) { try await far.endWriting() }
                far.close()
            }
            try await near.secure(asClient: client, of: "localhost")
            try await writer.value
            near.close()
        }
    }

    @Test(arguments: ["GET / HTTP/1.1\r\n\r\n", "PATCH / HTTP/1.1\r\n\r\n", "Q"])
    func textInsteadOfTLSIsRecognised(text: String) async throws {
        let server = try server()
        try await withLoop { loop in
            let (near, far) = try await connectedPair(on: loop)
            try await near.write(Array(text.utf8))
            await #expect(throws: IOError.plaintext) { try await far.secure(asServer: server) }
            #expect(!far.isSecure)
            near.close()
            far.close()
        }
    }

    @Test func megabytesSurvive() async throws {
        let (server, client) = (try server(), try client())
        try await withLoop { loop in
            let (near, far) = try await connectedPair(on: loop)
            let body = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
            let writer = Task(executorPreference: loop) {
                try await far.secure(asServer: server)
                try await far.write([1, 2, 3], body)
                try await far.endWriting()
            }
            try await near.secure(asClient: client, of: "localhost")
            #expect(try await near.readAll() == [1, 2, 3] + body)
            try await writer.value
            near.close()
            far.close()
        }
    }

    @Test func aPeerThatDoesNotSpeakTLSIsAHandshakeFailure() async throws {
        let client = try client()
        try await withLoop { loop in
            let (near, far) = try await connectedPair(on: loop)
            try await far.write(Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8))
            await #expect(throws: IOError.secureConnectionFailed(reason: "wrong version number")) {
                try await near.secure(asClient: client, of: "localhost")
            }
            near.close()
            far.close()
        }
    }

    @Test func aSilentPeerIsATimeOut() async throws {
        let client = try client()
        try await withLoop { loop in
            let (near, far) = try await connectedPair(on: loop)
            near.deadline = .now + .milliseconds(20)
            await #expect(throws: IOError.timedOut) { try await near.secure(asClient: client, of: "localhost") }
            near.close()
            far.close()
        }
    }

    /// The error must tell an operator what to change.
    @Test(arguments: [
        ("gone", "server.key", "gone: No such file or directory"),
        ("server", "gone.key", "gone.key: No such file or directory"),
        ("server", "other.key", "other.key: key values mismatch"),
        ("server.key", "server.key", "server.key: no start line"),
        ("server", "locked.key", "locked.key: the key is encrypted with a password, which is not supported"),
        ("server", "sealed.key", "sealed.key: the key is encrypted with a password, which is not supported"),
    ])
    func whyAFileCannotBeUsed(certificate: String, key: String, reason: String) throws {
        let (chain, path) = (certificates.path(certificate), certificates.path(key))
        let error = #expect(throws: IOError.self) {
            try TLSServerContext(certificateChain: chain, privateKey: path)
        }
        let text = try #require(error).description.replacing(".pem:", with: ":")
        #expect(text.hasSuffix("/" + reason))
        let fault =
            TLSFiles.fault(inCertificateChain: chain) ?? TLSFiles.fault(inPrivateKey: path, ofCertificateChain: chain)
        #expect(reason.hasSuffix(": \(fault ?? "")"))
    }

    @Test func aMissingAuthorityIsNamed() throws {
        let error = #expect(throws: IOError.self) { try TLSClientContext(trustedCA: "/nonexistent.pem") }
        #expect(error?.description == "/nonexistent.pem: No such file or directory")
        #expect(TLSFiles.fault(inAuthorities: "/nonexistent.pem") == "No such file or directory")
        #expect(TLSFiles.fault(inPrivateKey: certificates.path("sealed.key"))?.contains("password") == true)
        #expect(TLSFiles.fault(inPrivateKey: certificates.path("server.key")) == nil)
    }

    /// OpenSSL would block on a pipe without a writer, and read a device without end.
    @Test func onlyFilesAreOpened() throws {
        let (device, reason) = ("/dev/null", "is not a regular file")
        #expect(TLSFiles.fault(inCertificateChain: device) == reason && TLSFiles.fault(inPrivateKey: device) == reason)
        #expect(TLSFiles.fault(inAuthorities: device) == reason)
        let errors = [
            #expect(throws: IOError.self) { try TLSClientContext(trustedCA: device) },
            #expect(throws: IOError.self) { try TLSServerContext(certificateChain: device, privateKey: device) },
        ]
        #expect(errors.allSatisfy { $0?.description == "/dev/null: is not a regular file" })
    }

    @Test func filesThatCannotBeUsedAreNamed() throws {
        #expect(throws: IOError.self) { try TLSClientContext(trustedCA: "/nonexistent.pem") }
        #expect(throws: IOError.self) {
            try TLSServerContext(
                certificateChain: certificates.path("server"), privateKey: certificates.path("other.key"))
        }
    }
}
