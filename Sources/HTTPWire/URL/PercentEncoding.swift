/// Percent-encoding (RFC 3986 section 2.1).
public enum PercentEncoding {
    /// The component of a URL that the text is encoded for, which determines the bytes that stay unencoded.
    public enum Component: Sendable {
        /// One segment of a path: a slash is encoded.
        case pathSegment
        /// A name or a value of a query of the form `a=b&c=d`: `&`, `=`, `+` and `;` are encoded.
        case queryComponent
        /// Any component: everything except letters, digits and `-._~` is encoded.
        case anywhere

        var allowed: ByteSet {
            switch self {
            case .pathSegment: .pathSegment
            case .queryComponent: .queryComponent
            case .anywhere: .unreserved
            }
        }
    }

    /// The UTF-8 bytes of `text`, with those that `component` does not allow written as `%XX`.
    public static func encode(_ text: String, for component: Component) -> String {
        let allowed = component.allowed
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        for byte in text.utf8 {
            if allowed.contains(byte) {
                bytes.append(byte)
            } else {
                bytes.append(.percent)
                bytes.append(hexDigit(byte >> 4))
                bytes.append(hexDigit(byte & 0xF))
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Decodes once. A `+` is a space only if `plus` says so, as HTML forms write it.
    ///
    /// Throws ``WireError/malformedTarget`` if an escape is not two hexadecimal digits, or the result is not UTF-8 or
    /// contains a NUL.
    public static func decode(_ text: some StringProtocol, plus: Plus = .kept) throws(WireError) -> String {
        let bytes = Array(text.utf8)
        return try decode(bytes.span, 0..<bytes.count, plus: plus)
    }

    static func decode(_ encoded: Span<UInt8>, _ range: Range<Int>, plus: Plus) throws(WireError) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(range.count)
        var index = range.lowerBound
        while index < range.upperBound {
            let byte = encoded[index]
            if byte == .percent {
                guard index + 2 < range.upperBound, let high = encoded[index + 1].hexValue,
                    let low = encoded[index + 2].hexValue
                else { throw .malformedTarget }
                bytes.append(high << 4 | low)
                index += 3
            } else {
                bytes.append(byte == UInt8(ascii: "+") && plus == .isSpace ? .space : byte)
                index += 1
            }
        }
        guard !bytes.contains(0), let decoded = String(validating: bytes, as: UTF8.self) else {
            throw .malformedTarget
        }
        return decoded
    }

    /// The meaning of `+`.
    public enum Plus: Sendable {
        /// Itself (RFC 3986).
        case kept
        /// A space (`application/x-www-form-urlencoded`).
        case isSpace
    }

    private static func hexDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? 0x30 + value : 0x37 + value
    }
}
