/// A set of ASCII bytes in two words, so that a test costs no memory access.
///
/// The sets are written as numbers because those need no initialisation at run time; the tests compare them with the
/// characters that they stand for.
struct ByteSet: Sendable {
    let low: UInt64
    let high: UInt64

    @inline(__always)
    func contains(_ byte: UInt8) -> Bool {
        let word = byte < 64 ? low : high
        return byte < 128 && (word >> UInt64(byte & 63)) & 1 == 1
    }

    /// `tchar` of RFC 9110 section 5.6.2: letters, digits and ``!#$%&'*+-.^_`|~``.
    static let token = ByteSet(low: 0x03FF_6CFA_0000_0000, high: 0x57FF_FFFF_C7FF_FFFE)

    /// `unreserved` of RFC 3986 section 2.3: letters, digits and `-._~`.
    static let unreserved = ByteSet(low: 0x03FF_6000_0000_0000, high: 0x47FF_FFFE_87FF_FFFE)

    /// `reg-name` of RFC 3986 section 3.2.2 without escapes: unreserved and `!$&'()*+,;=`.
    static let registeredName = ByteSet(low: 0x2BFF_7FD2_0000_0000, high: 0x47FF_FFFE_87FF_FFFE)

    /// `pchar` of RFC 3986 section 3.3 without escapes: as in host names, and `:` and `@`.
    static let pathSegment = ByteSet(low: 0x2FFF_7FD2_0000_0000, high: 0x47FF_FFFE_87FF_FFFF)

    /// A path: segments and slashes, and ``[]|``, which clients that follow the WHATWG's URL standard do not escape there.
    static let path = ByteSet(low: 0x2FFF_FFD2_0000_0000, high: 0x57FF_FFFE_AFFF_FFFF)

    /// `query` of RFC 3986 section 3.4 without escapes: as in paths, and `?`; and ``[]{}|\^` ``, which those clients do not escape there.
    static let query = ByteSet(low: 0xAFFF_FFD2_0000_0000, high: 0x7FFF_FFFF_FFFF_FFFF)

    /// The bytes that need no encoding in a name or value of an `a=b&c=d` query: as in a query without `&`, `=`, `;`, and
    /// without `+`, which many parsers read as a space.
    static let queryComponent = ByteSet(low: 0x87FF_F792_0000_0000, high: 0x47FF_FFFE_87FF_FFFF)
}
