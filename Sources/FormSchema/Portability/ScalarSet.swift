/// A set of Unicode scalar values, as sorted ranges that neither overlap nor touch.
struct ScalarSet {
    private(set) var ranges: [ClosedRange<UInt32>] = []

    init(_ ranges: [ClosedRange<UInt32>] = []) {
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let last = self.ranges.last, range.lowerBound <= last.upperBound &+ 1 {
                self.ranges[self.ranges.count - 1] = last.lowerBound...max(last.upperBound, range.upperBound)
            } else {
                self.ranges.append(range)
            }
        }
    }

    func union(_ other: ScalarSet) -> ScalarSet { ScalarSet(ranges + other.ranges) }

    var complement: ScalarSet {
        var gaps: [ClosedRange<UInt32>] = []
        var next: UInt32 = 0
        for range in ranges {
            if range.lowerBound > next { gaps.append(next...range.lowerBound - 1) }
            next = range.upperBound + 1
        }
        if next <= 0x10FFFF { gaps.append(next...0x10FFFF) }
        return ScalarSet(gaps)
    }

    /// Whether any scalar is in both sets.
    func overlaps(_ other: ScalarSet) -> Bool {
        var own = 0
        var others = 0
        while own < ranges.count, others < other.ranges.count {
            if ranges[own].overlaps(other.ranges[others]) { return true }
            if ranges[own].upperBound < other.ranges[others].upperBound { own += 1 } else { others += 1 }
        }
        return false
    }
}

extension ScalarSet {
    static let digits = ScalarSet([0x30...0x39])
    /// PCRE2's `\w` without Unicode properties.
    static let wordCharacters = ScalarSet([0x30...0x39, 0x41...0x5A, 0x5F...0x5F, 0x61...0x7A])
    /// PCRE2's `\s` without Unicode properties; JavaScript's has more.
    static let whiteSpace = ScalarSet([0x09...0x0D, 0x20...0x20])
    /// PCRE2's `\h`.
    static let horizontalSpace = ScalarSet([
        0x09...0x09, 0x20...0x20, 0xA0...0xA0, 0x1680...0x1680, 0x180E...0x180E, 0x2000...0x200A, 0x202F...0x202F,
        0x205F...0x205F, 0x3000...0x3000,
    ])
    /// PCRE2's `\v`.
    static let verticalSpace = ScalarSet([0x0A...0x0D, 0x85...0x85, 0x2028...0x2029])
    static let lineFeed = ScalarSet([0x0A...0x0A])

    /// The POSIX classes that are told apart, by name, in ASCII as PCRE2 has them without Unicode properties.
    static func posix(_ name: String) -> ScalarSet? {
        switch name {
        case "alpha": ScalarSet([0x41...0x5A, 0x61...0x7A])
        case "digit": digits
        case "alnum": ScalarSet([0x30...0x39, 0x41...0x5A, 0x61...0x7A])
        case "upper": ScalarSet([0x41...0x5A])
        case "lower": ScalarSet([0x61...0x7A])
        case "space": whiteSpace
        case "xdigit": ScalarSet([0x30...0x39, 0x41...0x46, 0x61...0x66])
        case "word": wordCharacters
        default: nil
        }
    }
}

/// A Unicode general category that patterns may test: its name means the same in PCRE2 and JavaScript.
struct CategoryName {
    let name: String

    static let names: [String] = [
        "L", "Ll", "Lm", "Lo", "Lt", "Lu", "M", "Mc", "Me", "Mn", "N", "Nd", "Nl", "No", "P", "Pc", "Pd", "Pe", "Pf",
        "Pi",
        "Po", "Ps", "S", "Sc", "Sk", "Sm", "So", "Z", "Zl", "Zp", "Zs",
    ]

    init?(_ name: String) {
        guard Self.names.contains(name) else { return nil }
        self.name = name
    }

    /// Its scalars, by the tables of the standard library.
    var scalars: ScalarSet {
        ScalarSet(Self.tables.filter { $0.name.hasPrefix(name) }.flatMap { $0.scalars.ranges })
    }

    /// The scalars of each category of two letters.
    private static let tables: [(name: String, scalars: ScalarSet)] = {
        var ranges: [String: [ClosedRange<UInt32>]] = [:]
        var start: UInt32 = 0
        var current = ""
        for value in 0...UInt32(0x110000) {
            let name = Unicode.Scalar(value).map { abbreviation($0.properties.generalCategory) } ?? ""
            if name == current { continue }
            if !current.isEmpty { ranges[current, default: []].append(start...value - 1) }
            start = value
            current = name
        }
        return ranges.map { (name: $0.key, scalars: ScalarSet($0.value)) }
    }()

    private static func abbreviation(_ category: Unicode.GeneralCategory) -> String {
        switch category {
        case .lowercaseLetter: "Ll"
        case .modifierLetter: "Lm"
        case .otherLetter: "Lo"
        case .titlecaseLetter: "Lt"
        case .uppercaseLetter: "Lu"
        case .spacingMark: "Mc"
        case .enclosingMark: "Me"
        case .nonspacingMark: "Mn"
        case .decimalNumber: "Nd"
        case .letterNumber: "Nl"
        case .otherNumber: "No"
        case .connectorPunctuation: "Pc"
        case .dashPunctuation: "Pd"
        case .closePunctuation: "Pe"
        case .finalPunctuation: "Pf"
        case .initialPunctuation: "Pi"
        case .otherPunctuation: "Po"
        case .openPunctuation: "Ps"
        case .currencySymbol: "Sc"
        case .modifierSymbol: "Sk"
        case .mathSymbol: "Sm"
        case .otherSymbol: "So"
        case .lineSeparator: "Zl"
        case .paragraphSeparator: "Zp"
        case .spaceSeparator: "Zs"
        default: ""
        }
    }
}
