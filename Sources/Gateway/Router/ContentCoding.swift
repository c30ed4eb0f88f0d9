import HTTPWire

extension Headers {
    /// Whether the body has a coding of its own, such as gzip (RFC 9110 section 8.4).
    var hasContentCoding: Bool {
        !all("Content-Encoding").allSatisfy { $0.isEmpty || $0.lowercased() == "identity" }
    }
}
