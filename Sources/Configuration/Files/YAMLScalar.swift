import FormSchema

/// What a plain scalar means by YAML 1.2's core schema (YAML 1.2.2 section 10.3.2): `yes` and `on` are text, as are dates.
enum YAMLScalar {
    static func content(ofPlain text: String) -> Document.Node.Content {
        switch text {
        case "", "~", "null", "Null", "NULL": return .null
        case "true", "True", "TRUE": return .bool(true)
        case "false", "False", "FALSE": return .bool(false)
        default: break
        }
        if let number = number(text) { return .number(number) }
        return .text(text)
    }

    /// The number that `text` is, in decimal; nil if it is none.
    private static func number(_ text: String) -> String? {
        if text.hasPrefix("0x") { return based(text.dropFirst(2), radix: 16) }
        if text.hasPrefix("0o") { return based(text.dropFirst(2), radix: 8) }
        var rest = Substring(text)
        if let sign = rest.first, sign == "-" || sign == "+" { rest.removeFirst() }
        if [".inf", ".Inf", ".INF"].contains(rest) || [".nan", ".NaN", ".NAN"].contains(text) { return text }
        let whole = takeDigits(&rest)
        var fraction = 0
        if rest.first == "." {
            rest.removeFirst()
            fraction = takeDigits(&rest)
        }
        guard whole + fraction > 0 else { return nil }
        if rest.first == "e" || rest.first == "E" {
            rest.removeFirst()
            if let sign = rest.first, sign == "-" || sign == "+" { rest.removeFirst() }
            guard takeDigits(&rest) > 0 else { return nil }
        }
        return rest.isEmpty ? text : nil
    }

    private static func based(_ digits: Substring, radix: Int) -> String? {
        guard let first = digits.first, first != "-", first != "+" else { return nil }
        return Int(digits, radix: radix).map(String.init)
    }

    private static func takeDigits(_ rest: inout Substring) -> Int {
        let digits = rest.prefix { $0 >= "0" && $0 <= "9" }
        rest = rest[digits.endIndex...]
        return digits.count
    }
}
