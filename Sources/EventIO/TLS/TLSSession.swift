import COpenSSL
import Glibc

/// One side of a TLS connection over a socket. Must be used on the loop's thread.
final class TLSSession {
    let ssl: OpaquePointer

    /// Takes ownership of `ssl`.
    init(_ ssl: OpaquePointer) { self.ssl = ssl }

    deinit { SSL_free(ssl) }

    private enum Problem {
        case wait(Interest)
        case end, lost
        case failed(String)
    }

    /// Makes one step of the handshake. Returns what to wait for, or `nil` when it is done.
    func handshake() throws(IOError) -> Interest? {
        ERR_clear_error()
        let outcome = SSL_do_handshake(ssl)
        guard outcome != 1 else { return nil }
        switch problem(outcome) {
        case .wait(let interest): return interest
        case .end, .lost: throw .connectionLost
        case .failed(let reason): throw .secureConnectionFailed(reason: reason)
        }
    }

    /// Messages of TLS itself since the last application data. More than a few tickets and new keys have no purpose.
    private var messages = 0
    private static let messagesAtMost = 32

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(IOError) -> Received {
        while true {
            var count = 0
            ERR_clear_error()
            errno = 0
            let outcome = SSL_read_ex(ssl, buffer.baseAddress, buffer.count, &count)
            guard outcome != 1 else {
                messages = 0
                return .bytes(count)
            }
            switch problem(outcome) {
            // The kernel had more: what was read was a message. Readiness is told of once, so the next record is read at once.
            case .wait(.read) where errno != EAGAIN && errno != EWOULDBLOCK:
                messages += 1
                guard messages <= Self.messagesAtMost else {
                    throw .secureConnectionFailed(reason: "too many messages without data")
                }
            case .wait(let interest): return .wait(interest)
            case .end: return .end
            case .lost: throw .connectionLost
            case .failed(let reason): throw .secureConnectionFailed(reason: reason)
            }
        }
    }

    /// Joins two small buffers into one record: that halves the system calls, and a head is not sent without its body.
    func write(_ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer) throws(IOError) -> Sent {
        let record = 16_384
        guard !second.isEmpty, first.count < record else { return try write(first) }
        let total = min(record, first.count + second.count)
        return try withUnsafeTemporaryAllocation(byteCount: total, alignment: 1) { (joined) throws(IOError) in
            // The copy may hold card numbers.
            defer { OPENSSL_cleanse(joined.baseAddress, joined.count) }
            joined.copyMemory(from: first)
            let tail = UnsafeRawBufferPointer(rebasing: second.prefix(total - first.count))
            UnsafeMutableRawBufferPointer(rebasing: joined.dropFirst(first.count)).copyMemory(from: tail)
            return try write(UnsafeRawBufferPointer(joined))
        }
    }

    private func write(_ bytes: UnsafeRawBufferPointer) throws(IOError) -> Sent {
        var count = 0
        ERR_clear_error()
        let outcome = SSL_write_ex(ssl, bytes.baseAddress, bytes.count, &count)
        guard outcome != 1 else { return .bytes(count) }
        switch problem(outcome) {
        case .wait(let interest): return .wait(interest)
        case .end, .lost: throw .connectionLost
        case .failed(let reason): throw .secureConnectionFailed(reason: reason)
        }
    }

    /// Sends `close_notify` without waiting for the peer's. Returns what to wait for before another call, or `nil` when it has
    /// been sent, or is not due because the handshake has not finished.
    func sendCloseNotify() throws(IOError) -> Interest? {
        guard SSL_is_init_finished(ssl) == 1 else { return nil }
        ERR_clear_error()
        let outcome = SSL_shutdown(ssl)
        guard outcome < 0 else { return nil }
        switch problem(outcome) {
        case .wait(let interest): return interest
        case .end, .lost: throw .connectionLost
        case .failed(let reason): throw .secureConnectionFailed(reason: reason)
        }
    }

    private func problem(_ outcome: CInt) -> Problem {
        switch SSL_get_error(ssl, outcome) {
        case SSL_ERROR_WANT_READ: return .wait(.read)
        case SSL_ERROR_WANT_WRITE: return .wait(.write)
        case SSL_ERROR_ZERO_RETURN: return .end
        case SSL_ERROR_SYSCALL: return .lost
        default:
            let error = ERR_peek_error()
            if cloakroom_ssl_is_unexpected_end(error) == 1 { return .lost }
            let verification = SSL_get_verify_result(ssl)
            if verification != Int(X509_V_OK), let text = X509_verify_cert_error_string(verification) {
                return .failed(String(cString: text))
            }
            return .failed(openSSLReason())
        }
    }
}

extension TLSSession {
    /// When the peer's certificate ends, in Unix seconds; nil if it has none.
    var peerCertificateEnd: Int64? {
        guard let certificate = SSL_get1_peer_certificate(ssl) else { return nil }
        defer { X509_free(certificate) }
        return TLSFiles.seconds(of: X509_get0_notAfter(certificate))
    }

    func peerIsAccepted(by context: TLSServerContext) -> Bool { context.accepts(peerOf: ssl) }

    /// Leaves out names that are not UTF-8, contain a control character (a NUL is a known way to imitate another name), or are
    /// longer than any host name or mail address.
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
