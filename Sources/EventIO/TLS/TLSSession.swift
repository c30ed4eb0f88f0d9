import COpenSSL
import Glibc

/// One side of a TLS connection over a socket. All calls come from the loop's thread.
final class TLSSession {
    let ssl: OpaquePointer

    /// Takes over `ssl`.
    init(_ ssl: OpaquePointer) { self.ssl = ssl }

    deinit { SSL_free(ssl) }

    private enum Problem {
        case wait(Interest)
        case end, lost
        case failed(String)
    }

    /// One step of the handshake; `nil` when it is done.
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

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(IOError) -> Received {
        var count = 0
        ERR_clear_error()
        let outcome = SSL_read_ex(ssl, buffer.baseAddress, buffer.count, &count)
        guard outcome != 1 else { return .bytes(count) }
        switch problem(outcome) {
        case .wait(let interest): return .wait(interest)
        case .end: return .end
        case .lost: throw .connectionLost
        case .failed(let reason): throw .secureConnectionFailed(reason: reason)
        }
    }

    /// Two small buffers become one record: half the system calls, and a head is not sent without its body.
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

    /// Says goodbye without waiting for the answer.
    func sendCloseNotify() {
        ERR_clear_error()
        if SSL_is_init_finished(ssl) == 1 { SSL_shutdown(ssl) }
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
