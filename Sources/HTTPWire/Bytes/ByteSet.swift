/// A set of ASCII bytes held in two words, so that asking costs no memory access.
struct ByteSet: Sendable {
    private let low: UInt64
    private let high: UInt64

    /// The bytes of `characters`, which must be ASCII, and those of `other`.
    init(_ characters: String, and other: ByteSet? = nil) {
        var low = other?.low ?? 0
        var high = other?.high ?? 0
        for byte in characters.utf8 where byte < 128 {
            if byte < 64 { low |= 1 << UInt64(byte) } else { high |= 1 << UInt64(byte & 63) }
        }
        self.low = low
        self.high = high
    }

    @inline(__always)
    func contains(_ byte: UInt8) -> Bool {
        let word = byte < 64 ? low : high
        return byte < 128 && (word >> UInt64(byte & 63)) & 1 == 1
    }

    private static let alphanumeric = ByteSet("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789")

    /// `tchar` of RFC 9110 §5.6.2.
    static let token = ByteSet("!#$%&'*+-.^_`|~", and: alphanumeric)
    /// `unreserved` of RFC 3986 §2.3.
    static let unreserved = ByteSet("-._~", and: alphanumeric)
    /// `reg-name` of RFC 3986 §3.2.2 without escapes.
    static let registeredName = ByteSet("!$&'()*+,;=", and: unreserved)
    /// `pchar` of RFC 3986 §3.3 without escapes.
    static let pathSegment = ByteSet(":@", and: registeredName)
    /// A path: segments and slashes.
    static let path = ByteSet("/", and: pathSegment)
    /// `query` of RFC 3986 §3.4 without escapes.
    static let query = ByteSet("/?", and: pathSegment)
    /// What one name or value of an `a=b&c=d` query may hold as it stands; `+` is left out, for many take it as a space.
    static let queryComponent = ByteSet("/?:@!$'()*,", and: unreserved)
}
