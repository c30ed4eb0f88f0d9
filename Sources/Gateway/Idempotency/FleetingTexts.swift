import FormSchema
import HTTPWire
import JSON
import Sensitive
import Vault

/// Texts of one call that must never reach a disk: VOLATILE values, verification codes, and aliases that show characters of such a
/// value. A response that contains one is not stored under an idempotency key.
struct FleetingTexts {
    private var texts: [[UInt8]] = []
    /// Those of digits, which may also be written as numbers with a point or an exponent.
    private var numbers: [(value: SensitiveText, alias: String)] = []

    /// Texts of so many bytes or more are found anywhere; shorter ones only where no letter or digit adjoins them, because a code of
    /// three digits is part of many longer numbers and ids. Digits may follow a letter, as in `CVC321`, or be followed by one.
    private static let longText = 8

    /// Not inlined: raw values must not become locals of the asynchronous caller, whose frame is not wiped when it ends.
    ///
    /// - Parameters:
    ///   - body: of the call.
    ///   - items: of its submission.
    ///   - aliases: those of its aliases that show characters of a VOLATILE value.
    @inline(never)
    init(of body: JSONText, _ form: FormSchema, _ items: [AliasItem], _ aliases: [String]) {
        add(form.fleetingFields, of: body)
        // The output of a field may differ from what was submitted.
        for item in items where item.storage == .volatile { add(item.value.exposed) }
        for alias in aliases { add(alias) }
    }

    private mutating func add(_ text: String) {
        if text.isEmpty { return }
        let bytes = Array(text.utf8)
        texts.append(bytes)
        let ungrouped = Self.ungrouped(bytes)
        if ungrouped.allSatisfy(\.isASCIIDigit) { numbers.append((SensitiveText(text), "")) }
        if ungrouped.count < bytes.count { texts.append(ungrouped) }
    }

    /// Adds the texts that were submitted for these fields.
    private mutating func add(_ fields: Set<String>, of body: JSONText) {
        guard !fields.isEmpty, body.kind(at: body.root) == .object else { return }
        for member in body.members(of: body.root) where body.holds("fields", at: member.key) {
            guard body.kind(at: member.value) == .object else { continue }
            for field in body.members(of: member.value) where fields.contains(body.string(at: field.key) ?? "") {
                if let text = body.string(at: field.value) { add(text) }
            }
        }
    }

    /// Whether the response's headers or body contain one of the texts: as it is, JSON-escaped or percent-encoded.
    @inline(never)
    func occur(in response: CallResponse) -> Bool {
        if texts.isEmpty { return false }
        if holdsNumber(response.body) { return true }
        let headers = response.allHeaders.map { Array($0.1.utf8) } + response.fixed.opaque.map(\.1)
        return (headers + [response.body]).contains { part in
            Self.forms(of: part).contains { form in
                // Only long texts are looked for without separators: `32 1` is rarely a code.
                let ungrouped = Self.ungrouped(form)
                return texts.contains {
                    Self.contains($0, in: form) || $0.count >= Self.longText && Self.contains($0, in: ungrouped)
                }
            }
        }
    }

    private func holdsNumber(_ body: [UInt8]) -> Bool {
        if numbers.isEmpty { return false }
        let first = body.first { $0 > 0x20 }
        let isJSON = first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
        var scrubber = ResponseScrubber(ValueFinder(numbers), isJSON ? .json : .plain)
        return (try? scrubber.scrub(body, isLast: true)) != nil && scrubber.found > 0
    }

    /// The bytes as they are, and with the escapes of JSON or percent-encoding decoded.
    private static func forms(of bytes: [UInt8]) -> [[UInt8]] {
        var forms = [bytes]
        if bytes.contains(UInt8(ascii: "\\")) { forms.append(unescaped(bytes)) }
        if bytes.contains(UInt8(ascii: "%")) || bytes.contains(UInt8(ascii: "+")) { forms.append(decoded(bytes)) }
        return forms
    }

    /// Without single spaces and hyphens between digits, as card numbers are grouped.
    private static func ungrouped(_ bytes: [UInt8]) -> [UInt8] {
        func isDigit(_ index: Int) -> Bool { bytes.indices.contains(index) && bytes[index] &- UInt8(ascii: "0") < 10 }
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        for (index, byte) in bytes.enumerated() {
            let isSeparator = byte == UInt8(ascii: " ") || byte == UInt8(ascii: "-")
            if !(isSeparator && isDigit(index - 1) && isDigit(index + 1)) { result.append(byte) }
        }
        return result
    }

    /// Without the escapes of JSON; those of characters beyond ASCII stay.
    private static func unescaped(_ bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var index = 0
        while index < bytes.count {
            guard bytes[index] == UInt8(ascii: "\\"), index + 1 < bytes.count else {
                result.append(bytes[index])
                index += 1
                continue
            }
            if bytes[index + 1] == UInt8(ascii: "u"), let code = number(bytes, index + 2, digits: 4), code < 0x80 {
                result.append(UInt8(truncatingIfNeeded: code))
                index += 6
            } else {
                result.append(bytes[index + 1])
                index += 2
            }
        }
        return result
    }

    private static func decoded(_ bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var index = 0
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "%"), let code = number(bytes, index + 1, digits: 2) {
                result.append(UInt8(truncatingIfNeeded: code))
                index += 3
            } else {
                result.append(bytes[index] == UInt8(ascii: "+") ? UInt8(ascii: " ") : bytes[index])
                index += 1
            }
        }
        return result
    }

    /// Of hexadecimal digits; nil if others stand there.
    private static func number(_ bytes: [UInt8], _ start: Int, digits: Int) -> UInt16? {
        guard start + digits <= bytes.count else { return nil }
        var number: UInt16 = 0
        for byte in bytes[start..<start + digits] {
            guard let digit = byte.hexadecimalValue else { return nil }
            number = number << 4 | UInt16(digit)
        }
        return number
    }

    /// In time by the length of both (Knuth, Morris and Pratt): a caller can submit half a megabyte of one letter and have it returned.
    private static func contains(_ text: [UInt8], in bytes: [UInt8]) -> Bool {
        guard !text.isEmpty, text.count <= bytes.count else { return false }
        let borders = borders(of: text)
        let isDigits = text.allSatisfy(\.isASCIIDigit)
        var matched = 0
        for index in bytes.indices {
            while matched > 0, matched == text.count || bytes[index] != text[matched] { matched = borders[matched - 1] }
            if bytes[index] == text[matched] { matched += 1 }
            guard matched == text.count else { continue }
            if text.count >= longText { return true }
            let (start, end) = (index + 1 - matched, index + 1)
            let adjoining = bytes[..<start].suffix(1) + bytes[end...].prefix(1)
            let words = adjoining.count(where: isWord)
            if words == 0 || isDigits && words == 1 && !adjoining.contains(where: \.isASCIIDigit) { return true }
        }
        return false
    }

    /// For each beginning of the text, how many of its first bytes are also its last ones.
    private static func borders(of text: [UInt8]) -> [Int] {
        var borders = [Int](repeating: 0, count: text.count)
        var matched = 0
        for index in text.indices.dropFirst() {
            while matched > 0, text[index] != text[matched] { matched = borders[matched - 1] }
            if text[index] == text[matched] { matched += 1 }
            borders[index] = matched
        }
        return borders
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"):
            true
        default: false
        }
    }
}

extension CallResponse {
    /// This response, which may be stored unless it contains one of the texts.
    func storable(unlessItHas texts: FleetingTexts) async -> CallResponse {
        var response = self
        response.isStorable = await LargeBodies.work(on: body.count) { !texts.occur(in: self) }
        return response
    }
}
