import Crypto
import Testing
import VaultTesting

@testable import Vault

@Suite("What aliases look like")
struct AliasGenerationTests {
    private static let digits = Set("0123456789")
    private static let symbols = Set("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ")
    private static let base58 = Set("123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz")

    private func drawn(_ format: AliasFormat, _ value: String, count: Int = 3_000) throws -> [String] {
        let random = RandomPool()
        return try (0..<count).map { _ in
            try random.draw { (block) throws(CryptoError) in
                guard let space = AliasSpace(format, value: value) else {
                    return try TokenAlias.draw(format, value: value, environment: .live, &block)
                }
                return String(decoding: try space.draw(&block), as: UTF8.self)
            }
        }
    }

    private func hasLetter(_ text: some StringProtocol) -> Bool { text.contains { $0.isLetter } }

    @Test func uuids() throws {
        for alias in try drawn(.uuid, "x", count: 20_000) {
            let rest = alias.dropFirst("tok_live_".count)
            #expect(alias.hasPrefix("tok_live_") && (21...22).contains(rest.count) && Self.base58.isSuperset(of: rest))
        }
        for alias in try drawn(.genericTFour, "4539600166594134") {
            let parts = alias.split(separator: "_")
            #expect(parts.count == 4 && parts[0] == "tok" && parts[1] == "live" && parts[3] == "4134")
            #expect((21...22).contains(parts[2].count))
        }
        for alias in try drawn(.vgsFixedLenGeneric, "x") {
            #expect(alias.count == 29 && alias.hasPrefix("vgs") && Self.base58.isSuperset(of: alias.dropFirst(3)))
        }
        for alias in try drawn(.rawUUID, "x") {
            let parts = alias.split(separator: "-")
            #expect(parts.map(\.count) == [8, 4, 4, 4, 12])
            #expect(parts[2].first == "4")
            #expect("89ab".contains(parts[3].first ?? "-"))
            #expect(parts.joined().allSatisfy { "0123456789abcdef".contains($0) })
        }
    }

    @Test(arguments: ["123", "0000", "1234567890123456"])
    func numLengthPreserving(value: String) throws {
        for alias in try drawn(.numLengthPreserving, value) {
            #expect(alias.count == value.count && Self.digits.isSuperset(of: alias))
        }
    }

    @Test func pfpt() throws {
        for alias in try drawn(.pfpt, "4539600166594134") {
            #expect(alias.count == 19 && alias.hasPrefix("99145") && alias.hasSuffix("4134"))
            #expect(Self.digits.isSuperset(of: alias) && Luhn.isValid(Array(alias.utf8)))
        }
    }

    @Test(arguments: ["453960016659", "4539600166591", "4539600166594134", "4539600166594134123", "000000000000"])
    func cards(value: String) throws {
        let six = String(value.prefix(6))
        let four = String(value.suffix(4))
        for alias in try drawn(.fpeSixTFour, value) {
            #expect(alias.count == value.count && alias.hasPrefix(six) && alias.hasSuffix(four))
            #expect(Self.digits.isSuperset(of: alias) && Luhn.isValid(Array(alias.utf8)))
        }
        for alias in try drawn(.fpeTFour, value) {
            #expect(alias.count == value.count && alias.hasSuffix(four) && !alias.hasPrefix("0"))
            #expect(Self.digits.isSuperset(of: alias) && Luhn.isValid(Array(alias.utf8)))
        }
        for alias in try drawn(.alphanumericSixTFour, value) {
            let middle = alias.dropFirst(6).dropLast(4)
            #expect(alias.count == 19 && alias.hasPrefix(six) && alias.hasSuffix(four))
            #expect(Self.symbols.isSuperset(of: middle) && hasLetter(middle))
        }
        for alias in try drawn(.alphanumericLengthPreservingSixTFour, value) {
            let middle = alias.dropFirst(6).dropLast(4)
            #expect(alias.count == value.count && alias.hasPrefix(six) && alias.hasSuffix(four))
            #expect(Self.symbols.isSuperset(of: middle) && hasLetter(middle))
        }
        for alias in try drawn(.nonLuhnFPEAlphanumeric, value) {
            #expect(alias.count == value.count && Self.symbols.isSuperset(of: alias) && hasLetter(alias))
        }
    }

    @Test(arguments: ["219-09-9999", "219099999", "219 09 9999"])
    func socialSecurityNumbers(value: String) throws {
        let separators = value.filter { !$0.isNumber }
        for alias in try drawn(.fpeSSNTFour, value) {
            #expect(AliasFormat.fpeSSNTFour.accepts(alias) && alias.hasSuffix("9999"))
            #expect(alias.filter { !$0.isNumber } == separators && alias.count == value.count)
        }
        for alias in try drawn(.alphanumericSSNTFour, value) {
            let drawn = alias.dropLast(4).filter { !separators.contains($0) }
            #expect(alias.count == value.count && alias.hasSuffix("9999"))
            #expect(drawn.count == 5 && Self.symbols.isSuperset(of: drawn) && hasLetter(drawn))
            #expect(zip(alias, value).allSatisfy { !separators.contains($1) || $0 == $1 })
        }
    }

    @Test func accountNumbersAndText() throws {
        for alias in try drawn(.fpeAccNumTFour, "000123456789") {
            #expect(alias.count == 12 && alias.hasSuffix("6789") && Self.digits.isSuperset(of: alias))
        }
        for format in [AliasFormat.fpeAlphanumericAccNumTFour, .alphanumericLengthPreservingTFour] {
            for alias in try drawn(format, "ab1zzA") {
                #expect(alias.count == 6 && alias.hasSuffix("1zzA"))
                #expect(Self.symbols.isSuperset(of: alias.prefix(2)) && hasLetter(alias.prefix(2)))
            }
        }
        for alias in try drawn(.alphanumericLengthPreserving, "AB-1234") {
            #expect(alias.count == 7 && Self.symbols.isSuperset(of: alias) && hasLetter(alias))
        }
    }

    /// Every alias of a small space is met, about equally often: 36,000 draws from 10 and 90,000 from 1,000 must each
    /// stay within eight standard deviations of the mean, which chance leaves once in 10^14 runs.
    @Test(arguments: [
        (AliasFormat.fpeSixTFour, "453960016659", 10, 36_000), (.numLengthPreserving, "321", 1_000, 90_000),
    ])
    func uniform(format: AliasFormat, value: String, size: Int, draws: Int) throws {
        var counts: [String: Int] = [:]
        for alias in try drawn(format, value, count: draws) { counts[alias, default: 0] += 1 }
        let mean = Double(draws) / Double(size)
        #expect(counts.count == size)
        #expect(counts.values.allSatisfy { abs(Double($0) - mean) < 8 * mean.squareRoot() })
    }

    /// Enumerating a space gives each of its aliases once, each at the index that is found for it.
    @Test(arguments: [
        (AliasFormat.fpeSixTFour, "45396001665941"), (.fpeTFour, "453960016659"), (.fpeSSNTFour, "219-09-9999"),
        (.fpeAlphanumericAccNumTFour, "ab1zzA"), (.numLengthPreserving, "0321"), (.fpeAccNumTFour, "1234567"),
    ])
    func enumeration(format: AliasFormat, value: String) throws {
        let space = try #require(AliasSpace(format, value: value))
        let combinations = try #require(space.combinations)
        var count = 0
        for index in 0..<min(combinations, 200_000) {
            guard let alias = space.alias(at: index) else { continue }
            count += 1
            if space.index(of: alias) != index || !space.contains(alias) {
                Issue.record("\(format.rawValue) at \(index)")
                break
            }
        }
        if combinations <= 200_000 { #expect(Double(count) == space.size) }
        #expect(space.index(of: Array("x".utf8)) == nil)
        #expect(space.index(of: Array(value.utf8)).map { space.alias(at: $0) == Array(value.utf8) } ?? true)
    }

    @Test func luhn() {
        #expect(Luhn.isValid(Array("4111111111111111".utf8)))
        #expect(!Luhn.isValid(Array("4111111111111112".utf8)))
        #expect(!Luhn.isValid(Array("1411111111111111".utf8)))
    }
}
