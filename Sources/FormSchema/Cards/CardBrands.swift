/// The card brands of one form, and the rule that picks one for a number (`docs/reference/fields.md` section 5,
/// `docs/reference/elements.md` section 8).
final class CardBrands: Sendable {
    enum Catalogue: String, Sendable, CaseIterable {
        /// The first brand in order with a matching prefix wins.
        case vgs
        /// The longest matching prefix wins, the order deciding between equally long ones.
        case basisTheory
    }

    let catalogue: Catalogue
    /// In the order in which they are tried.
    let brands: [CardBrand]
    /// The brand of a number that matches no other.
    let unknown: CardBrand
    /// For each first digit 0–9, the ranges that numbers with this digit can lie in, in order of brands.
    private let candidates: [[Candidate]]

    private struct Candidate: Sendable {
        let range: PrefixRange
        let brand: CardBrand
    }

    init(catalogue: Catalogue, brands: [CardBrand], unknown: CardBrand) {
        self.catalogue = catalogue
        self.brands = brands
        self.unknown = unknown
        var candidates = [[Candidate]](repeating: [], count: 10)
        for brand in brands {
            for range in brand.prefixes {
                for first in range.firstDigits { candidates[first].append(Candidate(range: range, brand: brand)) }
            }
        }
        self.candidates = candidates
    }

    /// The brand of the number that the ASCII digits of `text` begin.
    func brand(ofNumber text: String) -> CardBrand {
        let number = NumberPrefixes(of: text)
        guard let first = number.firstDigit, first < candidates.count else { return unknown }
        let matching = candidates[first].lazy.filter { $0.range.contains(number) }
        switch catalogue {
        case .vgs: return matching.first?.brand ?? unknown
        case .basisTheory:
            // Custom brands come before the table's, whatever the length of their prefixes.
            if let custom = matching.first(where: { $0.brand.isCustom }) { return custom.brand }
            return longest(of: matching)?.brand ?? unknown
        }
    }

    private func longest(of candidates: some Sequence<Candidate>) -> Candidate? {
        candidates.reduce(nil as Candidate?) { best, next in
            if let best, best.range.digits >= next.range.digits { return best }
            return next
        }
    }
}

extension CardBrand {
    static let customPrefix = "custom:"
    var isCustom: Bool { id.utf8.starts(with: Self.customPrefix.utf8) }
}

extension PrefixRange {
    /// The digits that numbers in the range can begin with.
    fileprivate var firstDigits: ClosedRange<Int> {
        let scale = (1..<digits).reduce(UInt64(1)) { scale, _ in scale * 10 }
        return Int(low / scale)...Int(high / scale)
    }
}
