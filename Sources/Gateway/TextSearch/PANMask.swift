import FormSchema

/// Writes a card number without all but its last four digits. PCI DSS 4.0 (requirement 3.4.1) lets people see six and four at the most;
/// four are enough to tell which card was meant.
enum PANMask {
    /// Digits that stay.
    private static let kept = 4
    private static let mark = UInt8(ascii: "*")

    /// Appends the bytes of a find, with a star in the place of each digit that goes; what groups them stays.
    ///
    /// - Parameter isNumber: whether it is a number of JSON, which a star would end: it becomes a text.
    static func write(_ find: PANScanner.Find, in text: Span<UInt8>, isNumber: Bool, into bytes: inout [UInt8]) {
        if isNumber {
            bytes.append(UInt8(ascii: "\""))
            writeDigits(of: find, into: &bytes)
            bytes.append(UInt8(ascii: "\""))
        } else if find.hasExponent {
            writeDigits(of: find, into: &bytes)
        } else {
            write(find, in: text, into: &bytes)
        }
    }

    private static func writeDigits(of find: PANScanner.Find, into bytes: inout [UInt8]) {
        let hidden = find.digits.count - kept
        bytes += repeatElement(mark, count: hidden)
        bytes += find.digits[hidden...]
    }

    private static func write(_ find: PANScanner.Find, in text: Span<UInt8>, into bytes: inout [UInt8]) {
        let hidden = find.digits.count - kept
        var position = find.range.lowerBound
        var digits = 0
        while position < find.range.upperBound {
            let readings = Readings(text, at: position, isWhole: true)
            var character = readings.characters[0]
            for index in 0..<readings.count
            where readings.characters[index].digit != nil || readings.characters[index].isSeparator {
                character = readings.characters[index]
                break
            }
            if character.digit != nil { digits += 1 }
            if character.digit != nil, digits <= hidden {
                bytes.append(mark)
            } else {
                for index in position..<character.end { bytes.append(text[index]) }
            }
            position = character.end
        }
    }

    /// The text with all card numbers in it masked; the same text if there is none.
    static func masked(_ text: String) -> String {
        let bytes = Array(text.utf8)
        guard let masked = masked(bytes, isJSON: false) else { return text }
        return String(decoding: masked, as: UTF8.self)
    }

    /// The same for bytes; nil if there is none.
    static func masked(_ bytes: [UInt8], isJSON: Bool) -> [UInt8]? {
        guard case .find = PANScanner.next(bytes.span, from: 0, isWhole: true) else { return nil }
        var filter = PANFilter(.mask, isJSON: isJSON, exempt: [])
        return filter.filter(bytes, isLast: true)
    }
}
