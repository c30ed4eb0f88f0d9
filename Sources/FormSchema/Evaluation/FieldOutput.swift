/// The part of a field that is sent and tokenized (`docs/reference/fields.md` section 8).
enum FieldOutput {
    /// The whole text, under one name.
    case text(String)
    /// An expiry whose components have names of their own; joined in the order of the format they are the whole text.
    case expiry(ExpDateFormat.Parts, ExpDateFormat)
    /// A date whose components have names of their own, and the whole text.
    case date(CalendarDay, String)
    /// Text that cannot be split into the components that the serializers name: they are all empty.
    case undivided(String)

    /// The whole text.
    var whole: String {
        switch self {
        case .text(let text), .date(_, let text), .undivided(let text): text
        case .expiry(let parts, let format): format.text(of: parts)
        }
    }

    /// The text of an entry for this component.
    func text(of part: Field.Part) -> String {
        switch self {
        case .text(let text): text
        case .expiry(let parts, _): part == .month ? parts.month : parts.year
        case .date(let day, _):
            switch part {
            case .day: padded(day.day, to: 2)
            case .month: padded(day.month, to: 2)
            default: padded(day.year, to: 4)
            }
        case .undivided: ""
        }
    }

    /// Whether all entries are empty.
    var isEmpty: Bool {
        switch self {
        case .text(let text): text.isEmpty
        case .expiry, .date: false
        case .undivided: true
        }
    }
}

extension Field {
    /// The text with the field's divider in the place of each literal; an element keeps its literals.
    func withDivider(_ result: FieldResult) -> String {
        isElement ? result.shaping.raw : result.shaping.shaped.text(withDivider: divider)
    }

    /// Converts the date, then splits it for the serializers. Text that cannot be split is a hard error: an incomplete date must
    /// not be sent.
    func makeOutput(of result: inout FieldResult) {
        guard !result.isEmpty else { return }
        let text = withDivider(result)
        switch dateFormats {
        case .none: result.output = .text(text)
        case .expDate(let input, let output): result.output = expiry(text, input, output)
        case .date(let input, let output): result.output = date(text, input, output)
        }
        if case .undivided = result.output {
            result.addHardError(type == .expDate ? ErrorText.expirationDate : ErrorText.date)
        }
    }

    private func expiry(_ text: String, _ input: ExpDateFormat?, _ output: ExpDateFormat?) -> FieldOutput {
        if let input, let output, let parts = input.parts(of: text, yearDigits: input.yearDigits) {
            let converted = parts.converted(to: output)
            return isSerialized ? .expiry(converted, output) : .text(output.text(of: converted))
        }
        guard isSerialized else { return .text(text) }
        let format = input ?? .shortYear
        return format.parts(of: text).map { .expiry($0, format) } ?? .undivided(text)
    }

    private func date(_ text: String, _ input: DateFormat?, _ output: DateFormat?) -> FieldOutput {
        let converted = input.flatMap { input in output.flatMap { input.convert(text, to: $0) } }
        let text = converted ?? text
        guard isSerialized else { return .text(text) }
        let format = (converted == nil ? input : output) ?? .mmddyyyy
        return format.day(from: text.asciiDigits).map { .date($0, text) } ?? .undivided(text)
    }

    /// A value that its alias format does not accept stops the request (`docs/reference/vault-api.md` section 6).
    func checkAliasFormat(of result: inout FieldResult) {
        guard let tokenization else { return }
        if result.isTextUnknown { return result.addUndecided(ErrorText.aliasFormat) }
        guard !result.output.isEmpty else { return }
        for index in entries.indices where !tokenization.accepts(result.output.text(of: entries[index].part)) {
            return result.addHardError(ErrorText.aliasFormat)
        }
    }
}
