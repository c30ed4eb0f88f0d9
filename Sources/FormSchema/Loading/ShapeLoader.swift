/// Reads what shapes a field's text: a pattern with a divider, or mask, transform and validation.
struct ShapeLoader {
    let type: FieldType
    let context: LoadContext
    let isElement: Bool

    struct Loaded {
        var shape: Field.Shape
        var transforms: [Transform] = []
        var validation: Pattern?
    }

    func load(_ map: MapReader, dates: Field.DateFormats) -> Loaded {
        guard isElement else { return Loaded(shape: patternShape(map, dates)) }
        return Loaded(
            shape: map["mask"].flatMap(mask).map(Field.Shape.mask) ?? .unchanged,
            transforms: map["transform"].map(transforms) ?? [],
            validation: map["validation"].flatMap { pattern($0, .anywhere) })
    }

    private func patternShape(_ map: MapReader, _ dates: Field.DateFormats) -> Field.Shape {
        let divider = map["divider"]?.text() ?? type.defaultDivider
        let configured = map["formatPattern"].flatMap { $0.text() }
        if type == .cardNumber {
            map["formatPattern"]?.warning("ignored: a card number takes the pattern of its brand")
            return .brand(divider: divider)
        }
        if type == .cvc, configured == nil { return .brandCVC(divider: divider) }
        let pattern = FormatPattern(configured ?? defaultPattern(dates))
        if pattern.hasAlphanumericLiteral {
            map["formatPattern"]?.warning("its letters and digits that are no symbols become part of the value")
        }
        return .pattern(pattern, divider: divider)
    }

    private func defaultPattern(_ dates: Field.DateFormats) -> String {
        switch type {
        case .expDate: dates.expDateInput.pattern
        case .date: dates.dateInput.pattern
        case .ssn: "###-##-####"
        default: ""
        }
    }

    /// A regular expression; where it does not compile, PCRE2 says why and where.
    func pattern(_ reader: DocumentReader, _ scope: Pattern.Scope) -> Pattern? {
        if context.isClient, case .map = reader.node.content { return isServerOnly(reader) ? serverOnly(scope) : nil }
        guard let source = reader.text() else { return nil }
        do throws(Pattern.Failure) {
            return try Pattern(source, scope, matchLimit: context.patternMatchLimit)
        } catch {
            reader.mistake("does not compile at character \(error.offset): \(error.message)")
            return nil
        }
    }

    /// Whether the value is `{isServerOnly: true}`, which stands for a pattern that was not sent to this client.
    private func isServerOnly(_ reader: DocumentReader) -> Bool {
        reader.map(keys: ["isServerOnly"])?.required("isServerOnly")?.bool() ?? false
    }

    func serverOnly(_ scope: Pattern.Scope) -> Pattern? {
        do throws(Pattern.Failure) { return try Pattern(serverOnly: scope) } catch { return nil }
    }

    private func mask(_ reader: DocumentReader) -> Mask? {
        let mask: Mask
        if case .text(let shorthand) = reader.node.content {
            guard !shorthand.isEmpty else {
                reader.mistake("must not be empty")
                return nil
            }
            mask = Mask(shorthand: shorthand)
        } else {
            guard case .list = reader.node.content, let readers = reader.list() else {
                reader.wrongType("text or a list", takesText: true)
                return nil
            }
            if readers.isEmpty { reader.mistake("must not be empty") }
            mask = Mask(entries: readers.compactMap(maskEntry))
        }
        #if !hasFeature(Embedded)
        for literal in mask.ambiguousLiterals {
            reader.warning("the slot after the literal \"\(literal)\" takes it too, so pasted text shifts")
        }
        #endif
        return mask
    }

    private func maskEntry(_ reader: DocumentReader) -> Mask.Entry? {
        if case .text(let text) = reader.node.content {
            if text.count == 1, let character = text.first { return .literal(character) }
            reader.mistake("a literal is exactly one character; a slot is {pattern: …}")
            return nil
        }
        guard let map = reader.map(keys: ["pattern", "case"]) else { return nil }
        let changesCase = map["case"]?.choice(Transform.Case.self)
        guard let reader = map.required("pattern"), let pattern = pattern(reader, .anywhere) else { return nil }
        var source = ""
        if case .text(let text) = reader.node.content { source = text }
        return .slot(Mask.Slot(accepted: .matching(pattern, source: source), changesCase: changesCase))
    }

    /// One step, or a list of them.
    private func transforms(_ reader: DocumentReader) -> [Transform] {
        guard case .list = reader.node.content else { return transform(reader).map { [$0] } ?? [] }
        let readers = reader.list() ?? []
        if readers.isEmpty { reader.mistake("must have at least one step") }
        return readers.compactMap(transform)
    }

    private func transform(_ reader: DocumentReader) -> Transform? {
        guard let map = reader.map(keys: ["matcher", "replacement", "case"]) else { return nil }
        let changesCase = map["case"]?.choice(Transform.Case.self)
        guard let source = map["matcher"] else {
            map["replacement"]?.mistake("needs a matcher")
            if map["case"] == nil { reader.mistake("a step needs a matcher, a case or both") }
            return Transform(matcher: nil, replacement: Template(), changesCase: changesCase)
        }
        let replacement = map["replacement"].map { $0.text() } ?? ""
        guard let matcher = pattern(source, .anywhere), let replacement else { return nil }
        do throws(Template.NoSuchGroup) {
            let template = try Template(replacement, groupCount: matcher.groupCount)
            return Transform(matcher: matcher, replacement: template, changesCase: changesCase)
        } catch {
            map["replacement"]?.mistake("$\(error.number) is no group: the matcher has \(matcher.groupCount)")
            return nil
        }
    }
}
