extension AliasSpace {
    /// How many combinations of the free places there are, if that is few enough to go through them all: up to
    /// 20 million, a bitmap of 2.5 MB. Includes combinations that do not meet the condition.
    var combinations: Int? {
        var count = 1
        for _ in free {
            count *= alphabet.radix
            if count > 20_000_000 { return nil }
        }
        return count
    }

    /// The alias whose free places spell `index` in the alphabet's radix; `nil` where it does not meet the condition.
    func alias(at index: Int) -> [UInt8]? {
        var alias = template
        var rest = index
        for place in free.reversed() {
            alias[place] = Self.symbol(rest % alphabet.radix)
            rest /= alphabet.radix
        }
        solve(&alias)
        return meetsCondition(alias) ? alias : nil
    }

    /// The index under which `alias(at:)` gives this alias; `nil` if it is not in the space.
    func index(of alias: some Collection<UInt8>) -> Int? {
        guard alias.count == template.count, let combinations else { return nil }
        let bytes = Array(alias)
        var index = 0
        for place in free {
            let byte = bytes[place]
            let isAlphabetic = alphabet == .alphanumerics && ASCII.isCapital(byte)
            guard ASCII.isDigit(byte) || isAlphabetic else { return nil }
            index = index * alphabet.radix + Int(isAlphabetic ? byte - 0x41 + 10 : byte - 0x30)
        }
        guard index < combinations, self.alias(at: index) == bytes else { return nil }
        return index
    }

    /// What all aliases of the space begin with, for a range scan of a store.
    var prefix: String {
        String(decoding: template.prefix { $0 != 0 }, as: UTF8.self)
    }
}
