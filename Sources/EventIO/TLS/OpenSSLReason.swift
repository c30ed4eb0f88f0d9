import COpenSSL

/// OpenSSL's text for the first error of this thread's queue, which is emptied.
func openSSLReason() -> String {
    defer { ERR_clear_error() }
    guard let text = ERR_reason_error_string(ERR_peek_error()) else { return "unknown reason" }
    return String(cString: text)
}
