import COpenSSL

/// OpenSSL's text for the first error of this thread's queue, which is emptied. An error of the system, such as a missing file,
/// has the system's text: OpenSSL has none for it.
func openSSLReason() -> String {
    defer { ERR_clear_error() }
    let code = ERR_peek_error()
    // ERR_SYSTEM_FLAG, whose definition is no plain number: the other bits are `errno`.
    if code & 0x8000_0000 != 0 { return errorText(Int32(truncatingIfNeeded: code & 0x7FFF_FFFF)) }
    guard let text = ERR_reason_error_string(code) else { return "unknown reason" }
    return String(cString: text)
}
