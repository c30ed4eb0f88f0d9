import JSON

extension JSONValue {
    /// A whole number, written without fraction or exponent.
    var int64: Int64? {
        guard case .number(let number) = self else { return nil }
        return Int64(number.text)
    }

    /// An array of strings alone.
    var strings: [String]? {
        guard let array else { return nil }
        let strings = array.compactMap(\.string)
        return strings.count == array.count ? strings : nil
    }
}
