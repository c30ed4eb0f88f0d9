/// What the hosted frame may do, and who may embed it (`docs/reference/browser.md` section 1).
enum FramePolicy {
    /// Features that the frame does not use (W3C Permissions Policy).
    static let permissions = [
        "accelerometer", "autoplay", "camera", "clipboard-read", "clipboard-write", "display-capture",
        "encrypted-media",
        "fullscreen", "geolocation", "gyroscope", "hid", "magnetometer", "microphone", "midi", "payment",
        "picture-in-picture",
        "publickey-credentials-get", "screen-wake-lock", "serial", "usb", "xr-spatial-tracking",
    ].map { "\($0)=()" }.joined(separator: ", ")

    /// Origins on this machine; names below localhost are of it, too (RFC 6761 section 6.3). A source expression (W3C CSP3 section 2.3.1)
    /// cannot be an IPv6 address.
    private static let loopback = [
        "http://localhost:*", "http://127.0.0.1:*", "https://localhost:*", "https://127.0.0.1:*",
        "http://*.localhost:*", "https://*.localhost:*",
    ]

    /// The value of `Content-Security-Policy`.
    ///
    /// - Parameters:
    ///   - origins: the form's `allowedOrigins`; if there are none, pages of the gateway itself may embed it.
    ///   - isDevelopment: whether all listeners are on loopback; then pages on loopback may too.
    static func contentSecurity(origins: [String], isDevelopment: Bool) -> String {
        let ancestors = origins.isEmpty ? ["'self'"] + (isDevelopment ? loopback : []) : origins.filter(isSource)
        return [
            "default-src 'none'", "script-src 'self' 'wasm-unsafe-eval'", "style-src 'self'", "connect-src 'self'",
            "frame-ancestors " + (ancestors.isEmpty ? "'none'" : ancestors.joined(separator: " ")), "base-uri 'none'",
            "form-action 'none'",
            "require-trusted-types-for 'script'", "trusted-types 'none'",
        ].joined(separator: "; ")
    }

    /// The policy of the demo's page: what `docs/browser.md` says that a strict one needs.
    static var demo: String {
        let gateways = loopback.joined(separator: " ")
        return [
            "default-src 'none'", "script-src 'self' \(gateways)", "frame-src \(gateways)", "style-src 'self'",
            "connect-src 'self'",
            "frame-ancestors 'none'", "base-uri 'none'", "form-action 'none'",
        ].joined(separator: "; ")
    }

    /// The policy of the page that describes the calls: nothing from elsewhere, and no text becomes HTML.
    static let docs = [
        "default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'", "frame-ancestors 'none'",
        "base-uri 'none'", "form-action 'none'", "require-trusted-types-for 'script'", "trusted-types 'none'",
    ].joined(separator: "; ")

    /// Whether an origin of the configuration can stand in a policy, where white space, `;` and `,` would end it, and browsers pass over an
    /// IPv6 address: `check` warns of that.
    private static func isSource(_ origin: String) -> Bool {
        origin.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !";,[".utf8.contains($0) }
    }
}
