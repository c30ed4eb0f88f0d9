extension AliasFormat {
    /// The characters of `value` that an alias of this format shows; nil if it shows none, or if the value does not fit the format.
    public func keptCharacters(of value: String) -> String? {
        guard keepsCharacters, accepts(value) else { return nil }
        switch self {
        case .genericTFour: return String(value.suffix(4))
        case .pfpt: return String(value.prefix(2) + value.suffix(4))
        default:
            guard let space = AliasSpace(self, value: value) else { return nil }
            return String(decoding: space.template.filter { $0 != 0 }, as: UTF8.self)
        }
    }
}
