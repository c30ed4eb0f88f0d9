/// What of a field is sent and tokenized (`fields.md` section 8).
extension Field {
    /// Converts the date, then takes it apart for the serializers.
    func makeOutput(of result: inout FieldResult) {
        guard !result.isEmpty else { return }
        switch dateFormats {
        case .none:
            result.output = result.withDivider
        case .expDate(let input, let output):
            if let input, let output, let parts = input.parts(of: result.withDivider, yearDigits: input.yearDigits) {
                let converted = parts.converted(to: output)
                result.output = output.text(of: converted)
                if isSerialized { takeComponents(of: converted, into: &result) }
                return
            }
            result.output = result.withDivider
            guard isSerialized else { return }
            guard let parts = (input ?? .shortYear).parts(of: result.output) else { return refuseDate(of: &result) }
            takeComponents(of: parts, into: &result)
        case .date(let input, let output):
            let converted = input.flatMap { input in output.flatMap { input.convert(result.withDivider, to: $0) } }
            result.output = converted ?? result.withDivider
            let format = (converted == nil ? input : output) ?? .mmddyyyy
            guard isSerialized else { return }
            guard let day = format.day(from: result.output.asciiDigits) else { return refuseDate(of: &result) }
            result.components = entries.map { entry in
                switch entry.part {
                case .day: padded(day.day, to: 2)
                case .month: padded(day.month, to: 2)
                default: padded(day.year, to: 4)
                }
            }
        }
    }

    private func takeComponents(of parts: ExpDateFormat.Parts, into result: inout FieldResult) {
        result.components = entries.map { $0.part == .month ? parts.month : parts.year }
    }

    /// Text that cannot be taken apart is a hard error: half a date must not be sent.
    private func refuseDate(of result: inout FieldResult) {
        result.addHardError(type.dateError)
        result.components = entries.map { _ in "" }
    }

    /// A value that its alias format does not take stops the request (`vault-api.md` section 6).
    func checkAliasFormat(of result: inout FieldResult) {
        guard let tokenization = tokenization else { return }
        for index in entries.indices {
            let text = result.text(ofEntry: index)
            if !text.isEmpty, !tokenization.accepts(text) { return result.addHardError(ErrorText.aliasFormat) }
        }
    }
}
