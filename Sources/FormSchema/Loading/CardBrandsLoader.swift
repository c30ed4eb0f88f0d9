internal import JSON

/// Reads `cardBrands` (`docs/reference/fields.md` section 5).
struct CardBrandsLoader {
    func load(_ reader: DocumentReader?) -> CardBrands {
        let map = reader?.map(keys: ["catalogue", "valid", "custom", "unknown"])
        let catalogue = map?["catalogue"]?.choice(CardBrands.Catalogue.self) ?? .vgs
        let custom = map?["custom"].map { customBrands($0, catalogue) } ?? []
        let stock = catalogue == .vgs ? CardBrands.vgsTable : CardBrands.basisTheoryTable
        let all = custom + stock
        return CardBrands(
            catalogue: catalogue, brands: map?["valid"].map { listed($0, of: all) } ?? all,
            unknown: unknown(map?["unknown"], catalogue))
    }

    /// Exactly the brands that are listed, in that order.
    private func listed(_ reader: DocumentReader, of brands: [CardBrand]) -> [CardBrand] {
        var ids: Set<[UInt8]> = []
        return (reader.list() ?? []).compactMap { reader in
            guard let id = reader.text() else { return nil }
            guard let brand = brands.first(where: { $0.id.hasSameBytes(as: id) }) else {
                reader.mistake("unknown brand \(quoted(id)) (\(oneOf(brands.map { $0.id }, closestTo: id)))")
                return nil
            }
            guard ids.insert(Array(id.utf8)).inserted else {
                reader.mistake("listed twice")
                return nil
            }
            return brand
        }
    }

    private func customBrands(_ reader: DocumentReader, _ catalogue: CardBrands.Catalogue) -> [CardBrand] {
        var names: Set<[UInt8]> = []
        return (reader.list() ?? []).compactMap { reader in
            let keys = ["name", "prefixes", "lengths", "cvcLengths", "formatPattern", "checksum"]
            guard let map = reader.map(keys: keys) else { return nil }
            let name = map.required("name")?.text()
            if let name, name.isEmpty { map["name"]?.mistake("must not be empty") }
            if let name, !names.insert(Array(name.utf8)).inserted {
                map["name"]?.mistake("another brand has this name")
            }
            let lengths = map.required("lengths").flatMap { integers($0, in: 1...19) } ?? []
            let prefixes = map.required("prefixes").map { self.prefixes($0, of: lengths) } ?? []
            return brand(
                map, id: CardBrand.customPrefix + (name ?? ""), name: name ?? "", prefixes: prefixes, lengths: lengths,
                cvcLengths: [3], binRule: catalogue == .vgs ? .six : .eightOrSix)
        }
    }

    private func unknown(_ reader: DocumentReader?, _ catalogue: CardBrands.Catalogue) -> CardBrand {
        let stock = catalogue == .vgs ? CardBrands.vgsUnknown : CardBrands.basisTheoryUnknown
        guard let map = reader?.map(keys: ["lengths", "cvcLengths", "formatPattern", "checksum"]) else { return stock }
        let lengths = map["lengths"].flatMap { integers($0, in: 1...19) } ?? stock.lengths
        return brand(
            map, id: stock.id, name: stock.name, prefixes: [], lengths: lengths, cvcLengths: stock.cvcLengths,
            binRule: stock.binRule)
    }

    private func brand(
        _ map: MapReader, id: String, name: String, prefixes: [PrefixRange], lengths: [Int], cvcLengths: [Int],
        binRule: CardBrand.BINRule
    ) -> CardBrand {
        let brand = CardBrand(
            id: id, name: name, prefixes: prefixes, lengths: lengths,
            cvcLengths: map["cvcLengths"].flatMap { integers($0, in: 1...19) } ?? cvcLengths,
            pattern: map["formatPattern"]?.text() ?? CardBrands.patternB,
            checksum: map["checksum"]?.choice(CardBrand.Checksum.self) ?? .luhn, binRule: binRule)
        warn(of: brand, map)
        return brand
    }

    private func warn(of brand: CardBrand, _ map: MapReader) {
        let digits = brand.pattern.symbols.count { $0 == .digit }
        let greatest = brand.lengths.max() ?? 0
        if !brand.pattern.isEmpty, digits < greatest {
            (map["formatPattern"] ?? map.whole).warning("its pattern has \(digits) #, too few for \(greatest) digits")
        }
        if brand.pattern.hasAlphanumericLiteral {
            map["formatPattern"]?.warning("its letters and digits that are no symbols become part of the value")
        }
    }

    /// - Parameter lengths: of the brand's numbers; none if they are wrong.
    private func prefixes(_ reader: DocumentReader, of lengths: [Int]) -> [PrefixRange] {
        guard let list = reader.list() else { return [] }
        if list.isEmpty { reader.mistake("must not be empty") }
        return list.compactMap { reader in
            guard let text = reader.text() else { return nil }
            guard let range = PrefixRange(text) else {
                reader.mistake(
                    "must be digits such as \"8405\", or a range such as \"4000-4099\" with equally many, 1 to 19")
                return nil
            }
            if let longest = lengths.max(), range.digits > longest {
                reader.mistake("has \(range.digits) digits, but the longest number of the brand has only \(longest)")
            }
            return range
        }
    }
}
