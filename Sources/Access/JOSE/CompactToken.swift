import Crypto

/// The three parts of a JWS in compact serialization (RFC 7515 section 7.1), cut but not yet believed.
struct CompactToken {
    /// `header.payload`, over which the signature is made.
    let signingInput: ArraySlice<UInt8>
    /// The first part as it is written.
    let encodedHeader: ArraySlice<UInt8>
    let encodedPayload: ArraySlice<UInt8>
    let encodedSignature: ArraySlice<UInt8>

    /// Nil unless `token` is three parts that are not empty between two dots, and at most `maximumSize` bytes long.
    /// Five parts would be an encrypted token (RFC 7516).
    init?(_ token: [UInt8], maximumSize: Int) {
        guard token.count <= maximumSize else { return nil }
        let dot = UInt8(ascii: ".")
        guard let first = token.firstIndex(of: dot), let last = token.lastIndex(of: dot), first < last else {
            return nil
        }
        encodedHeader = token[..<first]
        encodedPayload = token[(first + 1)..<last]
        encodedSignature = token[(last + 1)...]
        signingInput = token[..<last]
        guard !encodedHeader.isEmpty, !encodedPayload.isEmpty, !encodedSignature.isEmpty,
            !encodedPayload.contains(dot)
        else { return nil }
    }

    /// The bytes that base64url text spells; nil unless it is exactly what encoding those bytes gives: no padding, no
    /// blanks, and no set bits behind the last byte (RFC 7515 section 2, RFC 4648 section 3.5). So a token has one
    /// spelling only, and each changed character makes it another token.
    static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
        let text = Array(text)
        guard let bytes = Base64.decode(text, .url), Base64.encode(bytes, .url).utf8.elementsEqual(text) else {
            return nil
        }
        return bytes
    }
}
