import Vault

/// The texts of one request that may be aliases, each once, to be looked up together.
struct AliasCandidates {
    /// How many texts there may be.
    static let limit = AliasLimits.lookUps

    /// Bytes that values may take in the places of aliases, all together: a short body can name a long value many times.
    static let room = Vault.lookUpRoom

    private(set) var texts: [String] = []
    /// How many there are, each as often as it occurs.
    private var occurrences = 0
    /// How often each occurs.
    private var counts: [String: Int] = [:]

    /// Takes the text in if an alias can look like it.
    mutating func add(_ text: String) throws(CallError) {
        guard AliasShape.mayBeAlias(text) else { return }
        occurrences += 1
        counts[text, default: 0] += 1
        guard counts[text] == 1 else { return }
        guard texts.count < Self.limit else {
            throw .malformed("more than \(Self.limit) texts of the request could be aliases")
        }
        texts.append(text)
    }

    /// Stops a request whose values would not have room, as they are written.
    ///
    /// Not inlined: raw values must not become locals of the asynchronous caller, whose frame is not wiped when it ends.
    ///
    /// - Parameter isPercentEncoded: whether some of them may be written so, and not as JSON.
    @inline(never)
    func requireRoom(for values: RevealedValues, isPercentEncoded: Bool) throws(CallError) {
        // Nearly all requests are far from it.
        if values.longest * Self.longestWritten <= Self.room / max(occurrences, 1) { return }
        var bytes = 0
        for alias in values.aliases {
            var written = 0
            for byte in (values[alias] ?? "").utf8 { written += Self.written(byte, isPercentEncoded) }
            bytes += (counts[alias] ?? 0) * written
            guard bytes <= Self.room else { throw .revealTooLarge(limit: Self.room) }
        }
    }

    private static let longestWritten = 6

    /// How many bytes a byte becomes at the most.
    private static func written(_ byte: UInt8, _ isPercentEncoded: Bool) -> Int {
        switch byte {
        case ..<0x20: longestWritten
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): isPercentEncoded ? 3 : 2
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            1
        default: isPercentEncoded ? 3 : 1
        }
    }
}
