/// What of a field is sent and tokenized (`fields.md` section 8).
extension Field {
    /// Converts the date, then takes it apart for the serializers.
    func makeOutput(of result: inout FieldResult) {
        guard !result.isEmpty else {
            result.texts = entries.map { _ in "" }
            return
        }
        switch dateFormats {
        case .none:
            result.output = result.withDivider
        case .expDate(let input, let output):
            let converted = input.flatMap { input in output.flatMap { input.convert(result.withDivider, to: $0) } }
            result.output = converted ?? result.withDivider
            let format = (converted == nil ? input : output) ?? .shortYear
            serialize(&result) { text in
                format.parts(of: text).map { parts in { String($0 == .month ? parts.month : parts.year) } }
            }
        case .date(let input, let output):
            let converted = input.flatMap { input in output.flatMap { input.convert(result.withDivider, to: $0) } }
            result.output = converted ?? result.withDivider
            let format = (converted == nil ? input : output) ?? .mmddyyyy
            serialize(&result) { text in
                format.day(from: text.asciiDigits).map { day in
                    { part in
                        switch part {
                        case .day: padded(day.day, to: 2)
                        case .month: padded(day.month, to: 2)
                        default: padded(day.year, to: 4)
                        }
                    }
                }
            }
        }
        if !isSerialized { result.texts = [result.output] }
    }

    /// Text that cannot be taken apart is a hard error: half a date must not be sent.
    private func serialize(_ result: inout FieldResult, parts: (String) -> ((Field.Part) -> String)?) {
        guard isSerialized else { return }
        guard let parts = parts(result.output) else {
            result.addHardError(type.dateError)
            result.texts = entries.map { _ in "" }
            return
        }
        result.texts = entries.map { parts($0.part) }
    }

    /// A value that its alias format does not take stops the request (`vault-api.md` section 6).
    func checkAliasFormat(of result: inout FieldResult) {
        guard let tokenization = tokenization else { return }
        if result.texts.contains(where: { !$0.isEmpty && !tokenization.accepts($0) }) {
            result.addHardError(ErrorText.aliasFormat)
        }
    }
}
