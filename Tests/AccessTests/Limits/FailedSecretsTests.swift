import Testing

@testable import Access

@Suite("Failed secrets")
struct FailedSecretsTests {
    private let secret: [UInt8] = [1, 2, 3]

    private func address(_ number: UInt32) -> ClientAddress { ClientAddress(IPAddress(v4: number)) }

    @Test func waitsGrow() {
        let failed = FailedSecrets()
        var now: Int64 = 0
        var waits: [Int] = []
        for _ in 0..<20 {
            failed.recordFailure(from: address(1), name: nil, at: now)
            let wait = failed.wait(of: address(1), presenting: secret, at: now) ?? 0
            waits.append(wait)
            #expect(failed.failures(of: address(1), at: now) == waits.count)
            #expect(failed.failures(of: address(2), at: now) == 0)
            now += Int64(wait) * 1_000
            #expect(failed.wait(of: address(1), presenting: secret, at: now) == nil)
        }
        #expect(waits.prefix(9) == [0, 0, 0, 0, 0, 1, 2, 4, 8] && waits.last == 900)
        // Forgotten an hour after the last wait.
        #expect(failed.failures(of: address(1), at: now + 3_600_000) == 0)
        failed.recordFailure(from: address(1), name: nil, at: now + 3_600_000)
        #expect(failed.wait(of: address(1), presenting: secret, at: now + 3_600_000) == nil)
    }

    /// A program that keeps sending one wrong secret does not guess.
    @Test func aKnownWrongSecret() {
        let failed = FailedSecrets()
        #expect(failed.remember(wrong: secret, from: address(1), at: 0))
        #expect(!failed.remember(wrong: secret, from: address(1), at: 0))
        #expect(failed.isKnownWrong(from: address(1), presenting: secret, at: 1))
        #expect(!failed.isKnownWrong(from: address(2), presenting: secret, at: 1))
        #expect(!failed.isKnownWrong(from: address(1), presenting: [7], at: 1))
        #expect(!failed.isKnownWrong(from: address(1), presenting: secret, at: 3_600_001))
        #expect(failed.remember(wrong: secret, from: address(1), at: 3_600_001))
    }

    @Test func othersDoNotWait() {
        let failed = FailedSecrets()
        for _ in 0..<100 { failed.recordFailure(from: address(1), name: "shop", at: 0) }
        #expect(failed.wait(of: address(1), presenting: secret, at: 1) == 900)
        #expect(failed.wait(of: address(2), presenting: secret, at: 1) == nil)
    }

    /// Who hides behind a proxy is not the proxy, nor a program beside it.
    @Test func whoIsHiddenWaitsAlone() {
        let failed = FailedSecrets()
        let hidden = ClientAddress(IPAddress(v4: 1), isProven: false)
        failed.recordTrust(address(1), at: 0)
        failed.recordSuccess(from: address(1), secret: secret, at: 0)
        #expect(!failed.isTrusted(hidden, at: 1))
        for number in 0..<100 {
            #expect(failed.remember(wrong: [UInt8(number)], from: hidden, at: 1))
            failed.recordFailure(from: hidden, name: nil, at: 1)
        }
        #expect(failed.wait(of: hidden, presenting: secret, at: 2) == 900)
        #expect(failed.wait(of: address(1), presenting: [200], at: 2) == nil)
        #expect(failed.isKnownWrong(from: hidden, presenting: [7], at: 2))
        #expect(!failed.isKnownWrong(from: address(1), presenting: [7], at: 2))
    }

    /// A name that is tried from everywhere makes each address wait that has used up its own free tries, but takes none of them.
    @Test func manyAddressesOneName() {
        let failed = FailedSecrets()
        let free = Int(FailedSecrets.freeByAddress)
        var tries = 0
        for stranger in 0..<1_000 {
            for _ in 0..<20 where failed.wait(of: address(UInt32(10 + stranger)), presenting: [9], at: 0) == nil {
                failed.recordFailure(from: address(UInt32(10 + stranger)), name: "shop", at: 0)
                tries += 1
            }
        }
        #expect(tries == (free + 1) * 1_000)
        // Who slips as often as is free is not kept waiting for what others did, whether by the same name or another.
        for slip in 1...free {
            #expect(failed.wait(of: address(1), presenting: secret, at: 0) == nil, "before slip \(slip)")
            failed.recordFailure(from: address(1), name: slip % 2 == 0 ? "other" : "shop", at: 0)
        }
        #expect(failed.wait(of: address(1), presenting: secret, at: 0) == nil)
        #expect(failed.wait(of: address(1), presenting: [7], at: 0) == nil, "another credential's")
        // What is beyond waits as long as the name has earned, not as the address has.
        failed.recordFailure(from: address(1), name: "shop", at: 0)
        #expect(failed.wait(of: address(1), presenting: secret, at: 0) == 900)
    }

    /// The same number of slips costs one second where nobody else tried the name.
    @Test func aQuietName() {
        let failed = FailedSecrets()
        for _ in 0...FailedSecrets.freeByAddress { failed.recordFailure(from: address(1), name: "shop", at: 0) }
        #expect(failed.wait(of: address(1), presenting: secret, at: 0) == 1)
    }

    @Test func aRightSecretIsRemembered() {
        let failed = FailedSecrets()
        failed.recordSuccess(from: address(1), secret: secret, at: 0)
        for _ in 0..<50 { failed.recordFailure(from: address(1), name: "other", at: 10) }
        #expect(failed.wait(of: address(1), presenting: secret, at: 20) == nil, "a neighbour's failures")
        #expect(failed.wait(of: address(1), presenting: [7], at: 20) == 900)
        #expect(failed.wait(of: address(2), presenting: [7], at: 20) == nil)
        // Being right once does not pay for wrong tries of another secret.
        failed.recordSuccess(from: address(1), secret: secret, at: 30)
        #expect(failed.wait(of: address(1), presenting: [7], at: 40) == 900)
    }
}
