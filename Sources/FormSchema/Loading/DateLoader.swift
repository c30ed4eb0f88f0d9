/// Reads `inputDateFormat` and `outputDateFormat` (`fields.md` section 8).
struct DateLoader {
    /// Nil if the form names no known type.
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
            let names = ExpDateFormat.allCases.map(\.rawValue) + DateFormat.allCases.map(\.rawValue)
            for key in ["inputDateFormat", "outputDateFormat"] { _ = map[key]?.choice(of: names) }
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

extension Field.DateFormats {
    /// The format in which an expiry comes in.
    var expDateInput: ExpDateFormat {
        if case .expDate(let input?, _) = self { input } else { .shortYear }
    }

    /// The format in which a date comes in.
    var dateInput: DateFormat {
        if case .date(let input?, _) = self { input } else { .mmddyyyy }
    }
}
