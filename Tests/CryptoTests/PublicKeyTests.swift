import Testing

@testable import Crypto

/// Bytes of base64url text.
private func bytes(_ text: String) throws -> [UInt8] { try #require(Base64.decode(text, .url)) }

@Suite("Signatures of public keys")
struct PublicKeyTests {
    struct Vector: Sendable, CustomTestStringConvertible {
        let source: String
        let key: [String: String]
        let algorithm: SignatureAlgorithm
        let token: String

        var testDescription: String { source }

        func publicKey() throws -> PublicKey {
            if let x = key["x"], let y = key["y"] {
                return try #require(PublicKey(.p256(x: try bytes(x), y: try bytes(y))))
            }
            if let x = key["x"] { return try #require(PublicKey(.ed25519(try bytes(x)))) }
            return try #require(
                PublicKey(.rsa(modulus: try bytes(key["n"] ?? ""), exponent: try bytes(key["e"] ?? ""))))
        }

        func parts() throws -> (message: [UInt8], signature: [UInt8]) {
            let dot = try #require(token.lastIndex(of: "."))
            return (Array(token[..<dot].utf8), try bytes(String(token[token.index(after: dot)...])))
        }
    }

    private static let joe =
        "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"

    static let vectors = [
        Vector(
            source: "RFC 7515 A.2",
            key: [
                "n":
                    "ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2l"
                    + "ZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2"
                    + "R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDT"
                    + "W9gb54h4FRWyuXpoQ",
                "e": "AQAB",
            ], algorithm: .rs256,
            token: "eyJhbGciOiJSUzI1NiJ9." + joe + "."
                + "cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5jujGbds9uJdbF9CUA"
                + "r7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9383LcOLn6_dO-"
                + "-xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0igcN_"
                + "IoypGlUPQGe77Rw"),
        Vector(
            source: "RFC 7515 A.3",
            key: [
                "x": "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU", "y": "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0",
            ], algorithm: .es256,
            token: "eyJhbGciOiJFUzI1NiJ9." + joe + "."
                + "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q"),
        Vector(
            source: "RFC 8037 A.4", key: ["x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"], algorithm: .edDSA,
            token: "eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc."
                + "hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg"),
    ]

    @Test(arguments: vectors)
    func verifies(vector: Vector) throws {
        let key = try vector.publicKey()
        let (message, signature) = try vector.parts()
        #expect(key.verifies(signature, over: message, vector.algorithm))
        for algorithm in SignatureAlgorithm.allCases where algorithm != vector.algorithm {
            #expect(!key.verifies(signature, over: message, algorithm))
        }
        for other in Self.vectors where other.source != vector.source {
            #expect(!(try other.publicKey()).verifies(signature, over: message, vector.algorithm))
        }
    }

    @Test(arguments: vectors)
    func refusesChangedSignatures(vector: Vector) throws {
        let key = try vector.publicKey()
        let (message, signature) = try vector.parts()
        for index in signature.indices {
            var changed = signature
            changed[index] ^= 1 << UInt8(index % 8)
            #expect(!key.verifies(changed, over: message, vector.algorithm))
        }
        for changed in [[], [0], Array(signature.dropLast()), signature + [0], [UInt8](repeating: 0, count: 64)] {
            #expect(!key.verifies(changed, over: message, vector.algorithm))
        }
        #expect(!key.verifies(signature, over: message + [0], vector.algorithm))
        #expect(!key.verifies(signature, over: [], vector.algorithm))
    }

    @Test func keysThatAreNone() throws {
        let x = try bytes("f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU")
        let y = try bytes("x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0")
        #expect(PublicKey(.p256(x: x, y: x)) == nil, "not on the curve")
        #expect(PublicKey(.p256(x: [0] + x, y: y)) == nil)
        #expect(PublicKey(.p256(x: [], y: [])) == nil)
        #expect(PublicKey(.p256(x: [UInt8](repeating: 0, count: 32), y: [UInt8](repeating: 0, count: 32))) == nil)
        #expect(PublicKey(.ed25519([1])) == nil)
        let modulus = try bytes(Self.vectors[0].key["n"] ?? "")
        #expect(PublicKey(.rsa(modulus: modulus, exponent: [1, 0, 1])) != nil)
        #expect(PublicKey(.rsa(modulus: [0] + modulus, exponent: [0, 1, 0, 1])) != nil)
        for exponent: [UInt8] in [[], [0], [1], [2], [1, 0, 0], [1, 0, 0, 0, 1]] {
            #expect(PublicKey(.rsa(modulus: modulus, exponent: exponent)) == nil)
        }
        var even = modulus
        even[even.count - 1] &= 0xFE
        #expect(PublicKey(.rsa(modulus: even, exponent: [1, 0, 1])) == nil)
        #expect(PublicKey(.rsa(modulus: Array(modulus.dropFirst()), exponent: [1, 0, 1])) == nil, "2,040 bits")
        // A product of two primes, as `openssl genrsa 1024` makes them.
        let short = try bytes(
            "nDOYFnI_S1VXyQM9yzlmpB40lhoAfXqqiaqarQJB4JGniJDTq590PN8nn3cTjsZzu2PXy8ni78INyADP8AR7zhavnA"
                + "SSjvGWWtuxKw2sT0BQRVn-GGNEnmD0ilqIWbbCMQkI5VycIB0iT8WabFMAkf0OjWfOcm8dpXv8Sg56b9U")
        #expect(PublicKey(.rsa(modulus: short, exponent: [1, 0, 1])) == nil, "1,024 bits")
        #expect(PublicKey(.rsa(modulus: [UInt8](repeating: 0xFF, count: 1_025), exponent: [1, 0, 1])) == nil)
        #expect(PublicKey(.rsa(modulus: [], exponent: [1, 0, 1])) == nil)
    }

    /// What OpenSSL reads from `r ‖ s`: numbers with the top bit set get a zero in front, zeros in front are dropped.
    @Test func distinguishedEncoding() {
        let small = [UInt8](repeating: 0, count: 31) + [1]
        let large: [UInt8] = [0x80] + [UInt8](repeating: 0, count: 31)
        #expect(ECDSASignature.der(ofP256: small + small) == [0x30, 6, 2, 1, 1, 2, 1, 1])
        #expect(ECDSASignature.der(ofP256: large + small) == [0x30, 38, 2, 33, 0] + large + [2, 1, 1])
        #expect(ECDSASignature.der(ofP256: []) == nil)
        #expect(ECDSASignature.der(ofP256: [UInt8](repeating: 1, count: 63)) == nil)
    }
}
