import Crypto

extension AliasSpace {
    private static let symbols = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ".utf8)

    /// One alias of the space, each with the same chance: the free places are drawn uniformly, and a draw that does not
    /// meet the condition is thrown away whole. At least 89 in 100 draws meet it.
    func draw(_ random: inout RandomBlock) throws(CryptoError) -> [UInt8] {
        var alias = template
        repeat {
            for place in free {
                alias[place] = Self.symbols[try random.uniform(below: alphabet.radix)]
            }
            solve(&alias)
        } while !meetsCondition(alias)
        return alias
    }

    /// Puts the one digit that makes the whole Luhn-valid into the solved place. Uniform free digits and one solved
    /// digit give every valid alias the same chance, since each has exactly one way to be reached.
    func solve(_ alias: inout [UInt8]) {
        switch condition {
        case .luhn(let solved), .luhnNotFromZero(let solved):
            alias[solved] = 0x30
            alias[solved] = 0x30 + Luhn.solution(alias, at: solved)
        case .none, .letter, .socialSecurity:
            break
        }
    }

    /// Whether the free places of `alias` meet the condition, a Luhn digit having been solved already.
    func meetsCondition(_ alias: [UInt8]) -> Bool {
        switch condition {
        case .none, .luhn: true
        case .luhnNotFromZero: alias[0] != 0x30
        case .letter: free.contains { ASCII.isLetter(alias[$0]) }
        case .socialSecurity: SocialSecurityNumber.isAreaAndGroupValid(free.map { alias[$0] })
        }
    }

    /// The symbol that stands for a number below the radix.
    static func symbol(_ number: Int) -> UInt8 { symbols[number] }
}
