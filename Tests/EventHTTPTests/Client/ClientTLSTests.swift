import EventHTTP
import EventIOTesting
import Glibc
import HTTPWire
import Testing

@testable import EventIO

@Suite struct ClientTLSTests {
    private let certificates = TestCertificates.shared

    private func context(_ name: String = "server") throws -> TLSServerContext {
        try TLSServerContext(certificateChain: certificates.path(name), privateKey: certificates.path("\(name).key"))
    }

    private func trust(_ authority: String = "ca") throws -> TLSClientContext {
        try TLSClientContext(trustedCA: certificates.path(authority))
    }

    @Test func aVerifiedUpstreamIsUsedAndKept() async throws {
        let trust = try trust()
        let script = responding("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n1")
        try await withUpstream([script], tls: context()) { upstream in
            let origin = Origin(host: "localhost", port: upstream.port, tls: trust)
            for _ in 0..<3 {
                let status = try await upstream.status(to: origin)
                #expect(status == 200)
            }
            #expect(upstream.log.connections == 1)
        }
    }

    @Test func aStrangersCertificateIsRefused() async throws {
        let (trusted, stranger) = (try trust(), try trust("stranger"))
        let script = responding("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n1")
        try await withUpstream([script], tls: context()) { upstream in
            let untrusted = Origin(host: "localhost", port: upstream.port, tls: stranger)
            let misnamed = ["other.example", "", ".", ".localhost", "localhost\0", "other.example\0localhost"].map {
                Origin(host: "127.0.0.1", port: upstream.port, tls: trusted, certificateName: $0)
            }
            for origin in [untrusted] + misnamed {
                do {
                    _ = try await upstream.send(to: origin)
                    Issue.record("it was let through")
                } catch {
                    guard case ClientError.secureConnectionFailed = error else {
                        Issue.record("\(error)")
                        continue
                    }
                }
            }
        }
    }

    @Test func aPeerWithoutTLSFailsTheHandshake() async throws {
        let trust = try trust()
        let plain: @Sendable (Socket) async throws -> Void = { socket in
            try await socket.wait(for: .read)
            try await socket.write("HTTP/1.1 400 Bad Request\r\n\r\n")
            try await socket.endWriting()
            _ = try await socket.readAll()
        }
        let gone: @Sendable (Socket) async throws -> Void = { _ in }
        let silent: @Sendable (Socket) async throws -> Void = { socket in _ = try await socket.readAll() }
        try await withUpstream([plain, gone, silent]) { upstream in
            let origin = Origin(host: "localhost", port: upstream.port, tls: trust)
            await #expect(throws: ClientError.secureConnectionFailed(reason: "wrong version number")) {
                _ = try await upstream.send(to: origin)
            }
            await #expect(throws: ClientError.secureConnectionFailed(reason: "closed during the handshake")) {
                _ = try await upstream.send(to: origin)
            }
            // The time for connecting has passed, and nothing was sent.
            await #expect(throws: ClientError.connectTimedOut) {
                _ = try await upstream.send(to: origin, timeouts: ClientTimeouts(connect: .milliseconds(50)))
            }
        }
    }

    /// A second attempt that gets no connection is no reason to say that nothing was sent: the first may have arrived.
    @Test func theFirstAttemptIsTheOneThatCounts() async throws {
        let (trust, context) = (try trust(), try context())
        let closing: @Sendable (Socket) async throws -> Void = { socket in
            try await socket.secure(asServer: context)
            try await socket.readRequest()
            try await socket.write("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n1")
            try await socket.readRequest()
        }
        let silent: @Sendable (Socket) async throws -> Void = { socket in _ = try await socket.readAll() }
        try await withUpstream([closing, silent]) { upstream in
            let origin = Origin(host: "localhost", port: upstream.port, tls: trust)
            let first = try await upstream.send(.put, to: origin)
            #expect(first.status == 200)
            await #expect(throws: ClientError.networkConnectionLost) {
                _ = try await upstream.send(.put, to: origin, timeouts: ClientTimeouts(connect: .milliseconds(200)))
            }
            #expect(upstream.log.connections == 2)
        }
    }

    /// After the handshake the request may have been carried out: a caller must not be told that there was no connection.
    @Test func tlsThatBreaksAfterTheRequestIsSaidToHaveBroken() async throws {
        let trust = try trust()
        let script: @Sendable (Socket) async throws -> Void = { socket in
            try await socket.readRequest()
            // What is no record of TLS, past the session.
            _ = Array("HTTP/1.1 200 OK\r\n\r\n".utf8).withUnsafeBytes {
                send(socket.descriptor, $0.baseAddress, $0.count, 0)
            }
        }
        try await withUpstream([script], tls: context()) { upstream in
            let origin = Origin(host: "localhost", port: upstream.port, tls: trust)
            do {
                _ = try await upstream.send(to: origin)
                Issue.record("there was a response")
            } catch {
                guard case ClientError.secureConnectionBroken = error else {
                    Issue.record("\(error)")
                    return
                }
            }
        }
    }

    /// A response that ends with the connection is complete only after `close_notify`.
    @Test(arguments: [true, false])
    func anEndMustBeAnnounced(announced: Bool) async throws {
        let trust = try trust()
        let script: @Sendable (Socket) async throws -> Void = { socket in
            try await socket.readRequest()
            try await socket.write("HTTP/1.1 200 OK\r\n\r\nhello")
            if announced { try await socket.endWriting() }
        }
        try await withUpstream([script], tls: context()) { upstream in
            let origin = Origin(host: "localhost", port: upstream.port, tls: trust)
            if announced {
                let text = try await upstream.text(to: origin)
                #expect(text == "hello")
            } else {
                await #expect(throws: ClientError.networkConnectionLost) { _ = try await upstream.send(to: origin) }
            }
        }
    }
}
