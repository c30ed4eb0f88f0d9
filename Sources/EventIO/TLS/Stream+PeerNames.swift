import COpenSSL

extension Stream {
    /// The names that the peer has proven by its certificate: the common names of its subject and its alternative names, but
    /// addresses. None without TLS, without a certificate, and after a handshake that did not ask for one.
    public var peerNames: [String] { session?.peerNames ?? [] }
}

extension TLSSession {
    /// Names that are not UTF-8, hold a control character (a NUL is an old trick to look like somebody else), or are longer than
    /// any host name or mail address are left out.
    var peerNames: [String] {
        let names = PeerNames()
        cloakroom_ssl_each_peer_name(ssl, Unmanaged.passUnretained(names).toOpaque()) { owner, text, length in
            guard let owner, let text, length <= 320 else { return }
            // Sound: `names` outlives the call, and OpenSSL's text is `length` bytes during it.
            let names = Unmanaged<PeerNames>.fromOpaque(owner).takeUnretainedValue()
            let bytes = UnsafeBufferPointer(start: text, count: length)
            guard let name = String(validating: bytes, as: UTF8.self), names.all.count < 64,
                name.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F })
            else { return }
            names.all.append(name)
        }
        return names.all
    }
}

/// What the C callback collects into.
private final class PeerNames {
    var all: [String] = []
}
