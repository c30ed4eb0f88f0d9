/// The versions of TLS that are spoken (RFC 8996 forbids older ones).
public enum TLSVersion: String, CaseIterable, Sendable {
    case tls12 = "1.2"
    case tls13 = "1.3"
}
