extension Socket {
    /// Makes the socket the server's side of a TLS connection. Throws `secureConnectionFailed` if the two sides find no common
    /// parameters or the client is refused, `connectionLost` if it went away, `timedOut`, `cancelled`.
    public func secure(asServer context: TLSServerContext) async throws(IOError) {
        try await handshake(context.makeSession(descriptor: descriptor))
    }

    /// Makes the socket the client's side of a TLS connection with `host`, whose certificate is verified.
    /// Throws `secureConnectionFailed`, `connectionLost`, `timedOut` or `cancelled`.
    public func secure(asClient context: TLSClientContext, of host: String) async throws(IOError) {
        try await handshake(context.makeSession(descriptor: descriptor, host: host))
    }

    private func handshake(_ session: TLSSession) async throws(IOError) {
        try checkInterruption()
        self.session = session
        while let interest = try session.handshake() {
            readiness.exhaust(interest)
            try await wait(for: interest)
        }
    }

    /// The names that the peer has proven by its certificate: the common names of its subject and its alternative names except
    /// addresses. Empty without TLS, without a certificate, and after a handshake that did not request one.
    public var peerNames: [String] { session?.peerNames ?? [] }
}
