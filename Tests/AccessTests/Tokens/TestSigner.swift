import COpenSSL
import Crypto
import JSON
import Testing

@testable import Access

/// A private key of a standard's example, which signs the tokens of these tests.
struct TestSigner: Sendable {
    enum Kind: String, Sendable {
        case rsa, p256, ed25519
    }

    let kind: Kind

    static let rsaModulus =
        "ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2l"
        + "ZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2"
        + "R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDT"
        + "W9gb54h4FRWyuXpoQ"
    private static let rsaExponent =
        "Eq5xpGnNCivDflJsRQBXHx1hdR1k6Ulwe2JZD50LpXyWPEAeP88vLNO97IjlA7_GQ5sLKMgvfTeXZx9SE-7YwVol2NXOoAJe46sui395IW_"
        + "GO-pWJ1O0BkTGoVEn2bKVRUCgu-GjBVaYLU6f3l9kJfFNS3E0QbVdxzubSu3Mkqzjkn439X0M_V51gfpRLI9JYanrC4D4qAdGcopV_0ZHHzQl"
        + "BjudU2QvXt4ehNYTCBr6XCLQUShb1juUO1ZdiYoFaFQT5Tw8bGUl_x_jTj3ccPDVZFD9pIuhLhBOneufuBiB4cS98l2SR_RQyGWSeWjnczT0Q"
        + "U91p1DhOVRuOopznQ"
    static let p256X = "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU"
    static let p256Y = "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"
    static let ed25519X = "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"

    /// The public half as a JWK, with more members behind.
    func jwk(_ more: String = "") -> String {
        switch kind {
        case .rsa: #"{"kty":"RSA","n":"\#(Self.rsaModulus)","e":"AQAB"\#(more)}"#
        case .p256: #"{"kty":"EC","crv":"P-256","x":"\#(Self.p256X)","y":"\#(Self.p256Y)"\#(more)}"#
        case .ed25519: #"{"kty":"OKP","crv":"Ed25519","x":"\#(Self.ed25519X)"\#(more)}"#
        }
    }

    /// A token over any header and payload.
    func token(header: String, payload: String, _ algorithm: SignatureAlgorithm) throws -> [UInt8] {
        let input = Base64.encode(Array(header.utf8), .url) + "." + Base64.encode(Array(payload.utf8), .url)
        return Array((input + "." + Base64.encode(try signature(Array(input.utf8), algorithm), .url)).utf8)
    }

    func signature(_ message: [UInt8], _ algorithm: SignatureAlgorithm) throws -> [UInt8] {
        let key = try #require(makeKey())
        defer { EVP_PKEY_free(key) }
        let context = try #require(EVP_MD_CTX_new())
        defer { EVP_MD_CTX_free(context) }
        var parameters: OpaquePointer?
        let digest = algorithm == .edDSA ? nil : EVP_sha256()
        try #require(EVP_DigestSignInit(context, &parameters, digest, nil, key) == 1)
        if algorithm == .ps256 {
            try #require(EVP_PKEY_CTX_set_rsa_padding(parameters, RSA_PKCS1_PSS_PADDING) == 1)
            try #require(EVP_PKEY_CTX_set_rsa_pss_saltlen(parameters, 32) == 1)
        }
        var size = 512
        var signature = [UInt8](repeating: 0, count: size)
        try #require(EVP_DigestSign(context, &signature, &size, message, message.count) == 1)
        let result = Array(signature.prefix(size))
        return algorithm == .es256 ? try Self.raw(result) : result
    }

    private static func raw(_ encoded: [UInt8]) throws -> [UInt8] {
        let signature = try encoded.withUnsafeBufferPointer { bytes in
            var start = bytes.baseAddress
            return try #require(d2i_ECDSA_SIG(nil, &start, bytes.count))
        }
        defer { ECDSA_SIG_free(signature) }
        var raw = [UInt8](repeating: 0, count: 64)
        raw.withUnsafeMutableBufferPointer { raw in
            _ = BN_bn2binpad(ECDSA_SIG_get0_r(signature), raw.baseAddress, 32)
            _ = BN_bn2binpad(ECDSA_SIG_get0_s(signature), raw.baseAddress.map { $0 + 32 }, 32)
        }
        return raw
    }

    private func makeKey() -> OpaquePointer? {
        func bytes(_ text: String) -> [UInt8] { Base64.decode(text, .url) ?? [] }
        switch kind {
        case .ed25519:
            return EVP_PKEY_new_raw_private_key(
                EVP_PKEY_ED25519, nil, bytes("nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A"), 32)
        case .rsa:
            var n = Array(bytes(Self.rsaModulus).reversed())
            var d = Array(bytes(Self.rsaExponent).reversed())
            var e: [UInt8] = [1, 0, 1]
            return n.withUnsafeMutableBufferPointer { n in
                d.withUnsafeMutableBufferPointer { d in
                    e.withUnsafeMutableBufferPointer { e in
                        var parameters = [
                            OSSL_PARAM_construct_BN(Self.name("n"), n.baseAddress, n.count),
                            OSSL_PARAM_construct_BN(Self.name("e"), e.baseAddress, e.count),
                            OSSL_PARAM_construct_BN(Self.name("d"), d.baseAddress, d.count), OSSL_PARAM_construct_end(),
                        ]
                        return Self.make("RSA", &parameters)
                    }
                }
            }
        case .p256:
            var point = [4] + bytes(Self.p256X) + bytes(Self.p256Y)
            var d = Array(bytes("jpsQnnGQmL-YBIffH1136cspYG6-0iY7X1fCE9-E9LI").reversed())
            var group = Array("prime256v1".utf8CString)
            return point.withUnsafeMutableBufferPointer { point in
                d.withUnsafeMutableBufferPointer { d in
                    group.withUnsafeMutableBufferPointer { group in
                        var parameters = [
                            OSSL_PARAM_construct_utf8_string(Self.name("group"), group.baseAddress, 0),
                            OSSL_PARAM_construct_octet_string(Self.name("pub"), point.baseAddress, point.count),
                            OSSL_PARAM_construct_BN(Self.name("priv"), d.baseAddress, d.count),
                            OSSL_PARAM_construct_end(),
                        ]
                        return Self.make("EC", &parameters)
                    }
                }
            }
        }
    }

    private static func name(_ literal: StaticString) -> UnsafePointer<CChar> {
        UnsafeRawPointer(literal.utf8Start).assumingMemoryBound(to: CChar.self)
    }

    private static func make(_ kind: String, _ parameters: inout [OSSL_PARAM]) -> OpaquePointer? {
        guard let context = EVP_PKEY_CTX_new_from_name(nil, kind, nil) else { return nil }
        defer { EVP_PKEY_CTX_free(context) }
        var key: OpaquePointer?
        guard EVP_PKEY_fromdata_init(context) == 1 else { return nil }
        // EVP_PKEY_KEYPAIR, a macro that Swift does not see.
        return EVP_PKEY_fromdata(context, &key, 0x87, &parameters) == 1 ? key : nil
    }
}
