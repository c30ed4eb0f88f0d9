/// The numbers of one request or response that look like those of cards and are not known to be meant, each once: the vault is asked for all
/// of them together which are its aliases.
struct NumbersToLookUp {
    /// Numbers beyond the limit are not looked up, and count as card numbers.
    static let limit = AliasLimits.lookUps

    /// What is known to be meant.
    let exempt: PANFilter.Exemptions
    /// The same, and what has been taken in.
    private var known: PANFilter.Exemptions
    private(set) var texts: [String] = []

    init(exempt: PANFilter.Exemptions) {
        self.exempt = exempt
        known = exempt
    }

    /// Takes in what is found in a text.
    mutating func add(_ text: Span<UInt8>) {
        var position = 0
        while texts.count < Self.limit, case .find(let find) = PANScanner.next(text, from: position, isWhole: true) {
            if known.insert(find) { texts.append(String(decoding: find.digits, as: UTF8.self)) }
            position = find.range.upperBound
        }
    }
}
