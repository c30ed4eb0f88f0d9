import Crypto
import Testing

@testable import Gateway

/// A signed command is for one path, one body and one minute, is carried out once, and is for who holds the master key.
@Suite struct MasterKeyProofTests {
    private static let key = [UInt8](0..<32)
    private static let body = Array("{}".utf8)

    /// What the command line sends `seconds` from now, or sent before now.
    private func authorization(_ seconds: Int64, nonce: String = "00") throws -> String {
        let (path, time) = (MaintenanceCalls.Operation.rotation.rawValue, SystemClock.seconds + seconds)
        let code = try HMACSHA256(key: Self.key).code(for: Array("\(path)\n\(time)\n\(nonce)\n".utf8) + Self.body)
        return "Cloakroom \(time):\(nonce):" + Hexadecimal.encode(code)
    }

    @Test(
        arguments: [(0, true), (-30, true), (30, true), (-90, false), (90, false), (-86_400, false)] as [(Int64, Bool)])
    func aCommandIsValidForAMinute(seconds: Int64, isValid: Bool) throws {
        let proof = try MasterKeyProof(key: Self.key)
        #expect(
            proof.accepts(try authorization(seconds), MaintenanceCalls.Operation.rotation.rawValue, Self.body)
                == isValid
        )
    }

    @Test func aCommandIsForItsPathAndBody() throws {
        let proof = try MasterKeyProof(key: Self.key)
        let own = try proof.authorization(MaintenanceCalls.Operation.rotation.rawValue, Self.body)
        #expect(!proof.accepts(own, MaintenanceCalls.Operation.masterKey.rawValue, Self.body))
        #expect(!proof.accepts(own, MaintenanceCalls.Operation.rotation.rawValue, Self.body + [0x20]))
        #expect(
            !(try MasterKeyProof(key: [UInt8](1..<33))).accepts(
                own, MaintenanceCalls.Operation.rotation.rawValue, Self.body))
        #expect(proof.accepts(own, MaintenanceCalls.Operation.rotation.rawValue, Self.body))
    }

    /// What was overheard is worth nothing, however it is written; nor can its nonce be changed.
    @Test(arguments: [-50, 0, 50] as [Int64]) func aCommandIsCarriedOutOnce(seconds: Int64) throws {
        let proof = try MasterKeyProof(key: Self.key)
        let path = MaintenanceCalls.Operation.rotation.rawValue
        let own = try authorization(seconds)
        let now = SystemClock.seconds
        #expect(!proof.accepts(own.replacing(":00:", with: ":01:"), path, Self.body))
        #expect(proof.accepts(own, path, Self.body))
        let (scheme, rest) = (own.prefix(10), own.dropFirst(10))
        // Also after those of before it were forgotten, which others cause.
        for later in [0, 30, 61, 105, 170, 3_600] as [Int64] {
            for again in [own, "\(scheme)+\(rest)", "\(scheme)0\(rest)", scheme + rest.uppercased()] {
                #expect(!proof.accepts(again, path, Self.body, at: now + later), "\(again) after \(later) seconds")
            }
            let other = try authorization(later, nonce: "other")
            #expect(proof.accepts(other, path, Self.body, at: now + later))
        }
        // Two calls of the same second are two.
        for _ in 0..<2 { #expect(proof.accepts(try proof.authorization(path, Self.body), path, Self.body)) }
    }

    @Test(arguments: [
        "", "Cloakroom", "Cloakroom 1", "Cloakroom x:00", "Cloakroom 99999999999999999999:00:00", "Cloakroom 1:00",
        "Cloakroom ::", "Basic ZGV2",
    ])
    func whatIsNoProofIsRefused(text: String) throws {
        #expect(
            !(try MasterKeyProof(key: Self.key)).accepts(text, MaintenanceCalls.Operation.rotation.rawValue, Self.body))
        #expect(
            !(try MasterKeyProof(key: Self.key)).accepts(nil, MaintenanceCalls.Operation.rotation.rawValue, Self.body))
    }
}
