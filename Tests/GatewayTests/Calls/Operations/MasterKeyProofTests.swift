import Crypto
import Testing

@testable import Gateway

/// A signed command is for one path, one body and one minute, and for who holds the master key.
@Suite struct MasterKeyProofTests {
    private static let key = [UInt8](0..<32)
    private static let body = Array("{}".utf8)

    /// What the command line sends `seconds` from now, or sent before now.
    private func authorization(_ seconds: Int64, _ path: String = MaintenanceCalls.Operation.rotation.rawValue) throws
        -> String
    {
        let time = SystemClock.seconds + seconds
        let code = try HMACSHA256(key: Self.key).code(for: Array("\(path)\n\(time)\n".utf8) + Self.body)
        return "Cloakroom \(time):" + Hexadecimal.encode(code)
    }

    @Test(
        arguments: [(0, true), (-30, true), (30, true), (-90, false), (90, false), (-86_400, false)] as [(Int64, Bool)])
    func aCommandIsValidForAMinute(seconds: Int64, isValid: Bool) throws {
        let proof = try MasterKeyProof(key: Self.key)
        #expect(
            proof.isValid(try authorization(seconds), MaintenanceCalls.Operation.rotation.rawValue, Self.body)
                == isValid
        )
    }

    @Test func aCommandIsForItsPathAndBody() throws {
        let proof = try MasterKeyProof(key: Self.key)
        let own = try proof.authorization(MaintenanceCalls.Operation.rotation.rawValue, Self.body)
        #expect(proof.isValid(own, MaintenanceCalls.Operation.rotation.rawValue, Self.body))
        #expect(!proof.isValid(own, MaintenanceCalls.Operation.masterKey.rawValue, Self.body))
        #expect(!proof.isValid(own, MaintenanceCalls.Operation.rotation.rawValue, Self.body + [0x20]))
        #expect(
            !(try MasterKeyProof(key: [UInt8](1..<33))).isValid(
                own, MaintenanceCalls.Operation.rotation.rawValue, Self.body))
    }

    @Test(arguments: [
        "", "Cloakroom", "Cloakroom 1", "Cloakroom x:00", "Cloakroom 99999999999999999999:00", "Basic ZGV2",
    ])
    func whatIsNoProofIsRefused(text: String) throws {
        #expect(
            !(try MasterKeyProof(key: Self.key)).isValid(text, MaintenanceCalls.Operation.rotation.rawValue, Self.body))
        #expect(
            !(try MasterKeyProof(key: Self.key)).isValid(nil, MaintenanceCalls.Operation.rotation.rawValue, Self.body))
    }
}
