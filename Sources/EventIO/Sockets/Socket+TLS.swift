extension Socket {
    /// Makes the socket the server's side of a TLS connection. Throws `secureConnectionFailed` if the two sides find no common
    /// parameters or the client is refused, `plaintext` if its first byte is an upper-case letter, as in a request without TLS,
    /// `connectionLost` if it went away, `timedOut`, `cancelled`.
    public func secure(asServer context: TLSServerContext) async throws(IOError) {
        // A TLS record starts with a byte below 0x20 (RFC 8446 section 5.1), a method with a letter.
        if 0x41...0x5A ~= (try await firstByte()) { throw .plaintext }
        try await handshake(context.makeSession(descriptor: descriptor))
    }

    /// Makes the socket the client's side of a TLS connection with `host`, whose certificate is verified.
    /// Throws `secureConnectionFailed`, `connectionLost`, `timedOut` or `cancelled`.
    public func secure(asClient context: TLSClientContext, of host: String) async throws(IOError) {
        try await handshake(context.makeSession(descriptor: descriptor, host: host))
    }

    /// The next byte, which stays in the kernel's buffer.
    private func firstByte() async throws(IOError) -> UInt8 {
        var byte: UInt8 = 0
        while true {
            switch try withUnsafeMutableBytes(of: &byte, { (byte) throws(IOError) in try peek(into: byte) }) {
            case .bytes: return byte
            case .end: throw .connectionLost
            case .wait(let interest): try await wait(for: interest)
            }
        }
    }

    /// After a failure the socket has no TLS: an alert that says why has been sent, and what the peer still sends cannot be read.
    private func handshake(_ session: TLSSession) async throws(IOError) {
        try checkInterruption()
        self.session = session
        do throws(IOError) {
            while let interest = try session.handshake() {
                readiness.exhaust(interest)
                try await wait(for: interest)
            }
        } catch {
            self.session = nil
            throw error
        }
    }

    /// When the peer's certificate ends, in Unix seconds; nil if it has shown none.
    public var peerCertificateEnd: Int64? { session?.peerCertificateEnd }

    /// Whether another context would accept the peer's certificate too; false if it has shown none.
    public func peerIsAccepted(by context: TLSServerContext) -> Bool { session?.peerIsAccepted(by: context) ?? false }

    /// The names that the peer has proven by its certificate: the common names of its subject and its alternative names except
    /// addresses. Empty without TLS, without a certificate, and after a handshake that did not request one.
    public var peerNames: [String] { session?.peerNames ?? [] }
}
