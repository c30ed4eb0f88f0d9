/// Reads `inputDateFormat` and `outputDateFormat` (`docs/reference/fields.md` section 8).
struct DateLoader {
    /// Nil if the field's type is unknown.
    let type: FieldType?

    func load(_ map: MapReader) -> Field.DateFormats {
        switch type {
        case .expDate:
            let (input, output) = formats(map, ExpDateFormat.self)
            return .expDate(input: input, output: output)
        case .date:
            let (input, output) = formats(map, DateFormat.self)
            return .date(input: input, output: output)
        case nil:
            let names = ExpDateFormat.allCases.map { $0.rawValue } + DateFormat.allCases.map { $0.rawValue }
            for key in ["inputDateFormat", "outputDateFormat"] { _ = map[key]?.index(among: names) }
            return .none
        default: return .none
        }
    }

    private func formats<Format: RawRepresentable<String> & CaseIterable>(
        _ map: MapReader, _: Format.Type
    ) -> (Format?, Format?) {
        if map["inputDateFormat"] == nil, let output = map["outputDateFormat"] {
            output.warning("does nothing without inputDateFormat")
        }
        return (map["inputDateFormat"]?.choice(Format.self), map["outputDateFormat"]?.choice(Format.self))
    }
}
