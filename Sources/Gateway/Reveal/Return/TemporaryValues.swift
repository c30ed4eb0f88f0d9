import JSON
import Sensitive
import Vault

/// The values of a call that are unknown some day, as a rule finds them in a response: stored for it, they would live on.
struct TemporaryValues: Sendable {
    /// What is known of a text that a rule is to store.
    enum Finding {
        case none
        /// It is such a value, and this its alias.
        case value(alias: String)
        /// It holds such values; this is the text with their aliases.
        case part(String)
    }

    private let finder: ValueFinder?
    private let values: RevealedValues

    init(_ values: RevealedValues) {
        self.values = values
        finder = values.temporary.isEmpty ? nil : ValueFinder(values.temporary)
    }

    /// - Parameters:
    ///   - json: a string or a number.
    ///   - text: the same as the rule takes it.
    func finding(in json: JSONValue, _ text: String) -> Finding {
        guard let finder else { return .none }
        var writer = JSONWriter(capacity: text.utf8.count + 16)
        writer.value(json)
        // Searched as it is in the whole response, so that the same is found.
        var scrubber = ResponseScrubber(finder, .json)
        guard let bytes = try? scrubber.scrub(writer.bytes, isLast: true), scrubber.found > 0,
            case .string(let searched)? = try? JSONValue.parse(bytes)
        else { return .none }
        if values[searched] != nil { return .value(alias: searched) }
        // A short value may be a group of a card number, which is one text all the same.
        let digits = text.filter { $0 != " " && $0 != "-" }
        return AliasFormat.fpeSixTFour.accepts(digits) ? .none : .part(searched)
    }
}
