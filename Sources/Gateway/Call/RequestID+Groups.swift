import JSON

extension RequestID {
    /// Whether an id contains a card number or an SSN written in groups:
    /// `card-4539-6001-6659-4134`, `219-09-9999`.
    static func holdsGroupedNumber(_ text: String) -> Bool {
        let bytes = text.utf8Span.span
        // Some UUIDs have enough digit groups with a valid check digit by chance.
        guard !isUUID(bytes) else { return false }
        var chain: [Range<Int>] = []
        var position = 0
        while position < bytes.count {
            let start = position
            while position < bytes.count, bytes[position].isDigit { position += 1 }
            let goesOn =
                position > start && position + 1 < bytes.count && isSeparator(bytes[position])
                && bytes[position + 1].isDigit
            // A run of digits with no neighbour needs no array.
            if position > start, goesOn || !chain.isEmpty { chain.append(start..<position) }
            if !goesOn {
                if chain.count > 2, isSSN(chain) || holdsCardNumber(chain, bytes) { return true }
                chain.removeAll(keepingCapacity: true)
            }
            position += 1
        }
        return false
    }

    /// Whether the chain has three groups, of 3, 2 and 4 digits.
    private static func isSSN(_ chain: [Range<Int>]) -> Bool { chain.map(\.count) == [3, 2, 4] }

    /// Whether consecutive groups of the chain form a card number: groups of at most 6 digits, a prefix of a large network (3 to
    /// 6, or 2221 to 2720) and a valid check digit. The prefix matters, because one number in ten has a valid check digit.
    private static func holdsCardNumber(_ chain: [Range<Int>], _ bytes: Span<UInt8>) -> Bool {
        chain.indices.contains { first in
            guard beginsCardNumber(bytes, at: chain[first].lowerBound) else { return false }
            var digits: [UInt8] = []
            for group in chain[first...] {
                guard group.count <= 6, digits.count + group.count <= 19 else { break }
                for index in group { digits.append(bytes[index]) }
                if digits.count >= 13, isCardNumber(digits) { return true }
            }
            return false
        }
    }

    static func beginsCardNumber(_ bytes: Span<UInt8>, at start: Int) -> Bool {
        switch bytes[start] {
        case UInt8(ascii: "3")...UInt8(ascii: "6"): return true
        case UInt8(ascii: "2"):
            let first = String(decoding: (start..<min(start + 4, bytes.count)).map { bytes[$0] }, as: UTF8.self)
            return ("2221"..."2720").contains(first)
        default: return false
        }
    }

    /// Whether it has the form of a UUID (RFC 9562 section 4).
    private static func isUUID(_ bytes: Span<UInt8>) -> Bool {
        guard bytes.count == 36 else { return false }
        for index in bytes.indices {
            let isHyphen = bytes[index] == UInt8(ascii: "-")
            let isHexadecimal = bytes[index].isDigit || (bytes[index] | 0x20) &- UInt8(ascii: "a") < 6
            guard [8, 13, 18, 23].contains(index) ? isHyphen : isHexadecimal else { return false }
        }
        return true
    }

    private static func isSeparator(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "_")
    }
}
