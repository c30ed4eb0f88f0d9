extension FormSchema {
    /// Copies for another event loop. The objects that an evaluation retains (fields, shapes, rules, patterns, brands) are copied; storage
    /// that it only reads, such as texts, is shared. A brand that several of these forms have is copied once for all of them.
    ///
    /// Evaluating a submission retains and releases some fifty objects. When several cores do that to the same objects, their
    /// reference counts move from cache to cache, which takes longer than the rest of the evaluation.
    public static func copies(of forms: [FormSchema]) -> [FormSchema] {
        var brands = BrandCopies()
        return forms.map { $0.copy(&brands) }
    }

    private func copy(_ brands: inout BrandCopies) -> FormSchema {
        FormSchema(
            form: form, settings: settings, clientRules: clientRules, client: client, isClient: isClient,
            mappingPolicy: mappingPolicy, lenientInput: lenientInput, cardBrands: cardBrands.copy(&brands),
            fields: fields.map { $0.copy() })
    }
}

/// The brands of a catalogue are most of a form's objects, and the same in nearly all forms.
private struct BrandCopies {
    private var made: [ObjectIdentifier: CardBrand] = [:]

    /// - Parameter brand: of a form that outlives this value, so that its identity is not reused.
    mutating func copy(_ brand: CardBrand) -> CardBrand {
        let copy = made[ObjectIdentifier(brand)] ?? brand.copy()
        made[ObjectIdentifier(brand)] = copy
        return copy
    }
}

extension Field {
    fileprivate func copy() -> Field {
        Field(
            name: name, type: type, flags: flags, shape: shape.copy(), transforms: transforms.map { $0.copy() },
            validation: validation.map(Pattern.init(copying:)), isElement: isElement, rules: rules.map { $0.copy() },
            usesDefaultRules: usesDefaultRules, maxInputLength: maxInputLength, dateFormats: dateFormats,
            isSerialized: isSerialized,
            entries: entries.map { Entry(name: $0.name, part: $0.part, path: $0.path.map { $0 }) },
            tokenization: tokenization?.copy(), file: file, coupledCard: coupledCard)
    }
}

extension Field.Shape {
    fileprivate func copy() -> Field.Shape {
        switch self {
        case .pattern(let pattern, let divider): .pattern(FormatPattern(pattern.text), divider: divider)
        case .mask(let mask): .mask(mask.copy())
        case .brand, .brandCVC, .unchanged: self
        }
    }
}

extension Mask {
    fileprivate func copy() -> Mask {
        Mask(
            entries: entries.map { entry in
                guard case .slot(let slot) = entry, case .matching(let pattern, let source) = slot.accepted else {
                    return entry
                }
                return .slot(
                    Slot(accepted: .matching(Pattern(copying: pattern), source: source), changesCase: slot.changesCase))
            })
    }
}

extension Transform {
    fileprivate func copy() -> Transform {
        Transform(
            matcher: matcher.map(Pattern.init(copying:)), replacement: replacement, changesCase: changesCase)
    }
}

extension ValidationRule {
    fileprivate func copy() -> ValidationRule {
        ValidationRule(check: check, pattern: pattern.map(Pattern.init(copying:)), error: error)
    }
}

extension Tokenization {
    fileprivate func copy() -> Tokenization {
        Tokenization(format: format, storage: storage, classifiers: classifiers.map { $0 }, ttl: ttl, accepts: accepts)
    }
}

extension CardBrands {
    fileprivate func copy(_ copies: inout BrandCopies) -> CardBrands {
        CardBrands(catalogue: catalogue, brands: brands.map { copies.copy($0) }, unknown: copies.copy(unknown))
    }
}

extension CardBrand {
    /// `map` allocates new arrays; assignment would share the storage.
    fileprivate func copy() -> CardBrand {
        CardBrand(
            id: id, name: name, prefixes: prefixes, lengths: lengths.map { $0 }, cvcLengths: cvcLengths.map { $0 },
            pattern: pattern.text, checksum: checksum, binRule: binRule)
    }
}
