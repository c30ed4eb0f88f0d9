extension Stream {
    /// Turns the stream into the server's side of a TLS connection. Throws `secureConnectionFailed` if the two sides do not
    /// agree or the client is refused, `connectionLost` if it went away, `timedOut`, `cancelled`.
    public func secure(asServer context: TLSServerContext) async throws(IOError) {
        try await handshake(context.makeSession(descriptor: descriptor))
    }

    /// Turns the stream into the client's side of a TLS connection with `host`, whose certificate is verified.
    /// Throws `secureConnectionFailed`, `connectionLost`, `timedOut` or `cancelled`.
    public func secure(asClient context: TLSClientContext, of host: String) async throws(IOError) {
        try await handshake(context.makeSession(descriptor: descriptor, host: host))
    }

    private func handshake(_ session: TLSSession) async throws(IOError) {
        try checkHalt()
        self.session = session
        while let interest = try session.handshake() {
            ready.remove(interest)
            try await wait(for: interest)
        }
    }
}
