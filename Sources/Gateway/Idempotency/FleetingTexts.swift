import FormSchema
import HTTPWire
import JSON
import Sensitive
import Vault

/// Texts of one call that must never reach a disk: VOLATILE values, CVCs, and aliases that show characters of such a
/// value. A response that contains one is not stored under an idempotency key.
struct FleetingTexts {
    private let finder: ValueFinder
    /// Those of digits, which may also be written as numbers.
    private let numbers: ValueFinder

    /// Texts of so many bytes or more, and of so many digits, are found anywhere; shorter ones only where no letter or digit adjoins them,
    /// because a code of three digits is part of many longer numbers and ids. Digits may follow a letter, as in `CVC321`, or be followed by
    /// one.
    private static let longText = 8
    private static let longNumber = 6
    /// How many characters a search may read: eight for each byte of the response, and 65,536 at least. A caller can submit a text that
    /// begins again and again within itself, and have it returned: a response that takes longer is taken for one that has the text.
    private static let stepsOfByte = 8
    private static let stepsAtLeast = 65_536

    /// Not inlined: raw values must not become locals of the asynchronous caller, whose frame is not wiped when it ends.
    ///
    /// - Parameters:
    ///   - body: of the call.
    ///   - items: of its submission.
    ///   - aliases: those of its aliases that show characters of a VOLATILE value.
    @inline(never)
    init(of body: JSONText, _ form: FormSchema, _ items: [AliasItem], _ aliases: [String]) {
        var texts = Self.texts(of: form.fleetingFields, in: body)
        // The output of a field may differ from what was submitted.
        for item in items where item.storage == .volatile { texts.append(item.value) }
        texts += aliases.map { SensitiveText($0) }
        // Short ones are not looked for in groups, but they may have some.
        texts += texts.compactMap { Self.ungrouped($0.exposed) }
        finder = ValueFinder(texts.map { ($0, "") })
        numbers = ValueFinder(texts.filter { Self.isNumber($0.exposed) }.map { ($0, "") })
    }

    /// The texts that were submitted for these fields.
    private static func texts(of fields: Set<String>, in body: JSONText) -> [SensitiveText] {
        var texts: [SensitiveText] = []
        guard !fields.isEmpty, body.kind(at: body.root) == .object else { return texts }
        for member in body.members(of: body.root) where body.holds("fields", at: member.key) {
            guard body.kind(at: member.value) == .object else { continue }
            for field in body.members(of: member.value) where fields.contains(body.string(at: field.key) ?? "") {
                if let text = body.string(at: field.value) { texts.append(SensitiveText(text)) }
            }
        }
        return texts
    }

    /// Without single spaces and hyphens between digits; nil if there are none, or the text is long enough to be looked for in groups.
    private static func ungrouped(_ text: String) -> SensitiveText? {
        guard text.utf8.count <= RevealedValue.beginningLimit else { return nil }
        var kept: [UInt8] = []
        var separator: UInt8?
        for byte in text.utf8 {
            let isBehindDigit = separator == nil && kept.last?.isDigit == true
            if isBehindDigit, byte == UInt8(ascii: " ") || byte == UInt8(ascii: "-") {
                separator = byte
                continue
            }
            if let separator, !byte.isDigit { kept.append(separator) }
            separator = nil
            kept.append(byte)
        }
        if let separator { kept.append(separator) }
        return kept.count == text.utf8.count ? nil : SensitiveText(String(decoding: kept, as: UTF8.self))
    }

    private static func isNumber(_ text: String) -> Bool {
        text.utf8.allSatisfy { $0.isDigit || $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "-") }
    }

    /// Whether the response's headers or body contain one of the texts, however it is written; or can't be searched: not text, not UTF-8
    /// where a text has other letters than ASCII's, or not in time.
    @inline(never)
    func occur(in response: CallResponse) -> Bool {
        if finder.isEmpty { return false }
        if response.body.contains(where: BeginningTable.isControl) || TextContent.isForeign(response.body) {
            return true
        }
        // Behind a byte order mark.
        let first = response.body.first { 0x21..<0x80 ~= $0 }
        let isJSON =
            first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
            || response.body.allSatisfy { $0 <= 0x20 || NumberText.mayHold($0) }
        return holdsText(response.body, isJSON ? .json : .plain)
            || response.allHeaders.contains {
                $0.0 != CallResponse.upstreamStatusName && holdsText(Array($0.1.utf8), .header)
            }
            || response.fixed.opaque.contains { holdsText($0.1, .header) }
    }

    private func holdsText(_ bytes: [UInt8], _ syntax: TextSyntax) -> Bool {
        if finder.hasForeignLetters {
            var coding = UTF8Pieces()
            if !coding.areValid(with: bytes, isLast: true) { return true }
        }
        return holdsText(bytes.span) || numbers.hasNumbers && holdsNumber(bytes, syntax)
    }

    private func holdsText(_ text: Span<UInt8>) -> Bool {
        let limit = max(Self.stepsAtLeast, text.count * Self.stepsOfByte)
        var steps = 0
        var position = finder.beginnings.next(text, from: 0)
        while position < text.count {
            let found = finder.find(text, at: position, isWhole: true, steps: &steps) { value, end in
                Self.admits(value, text, position..<end)
            }
            if case .match = found { return true }
            if steps > limit { return true }
            position = finder.beginnings.next(text, from: position + 1)
        }
        return false
    }

    /// Digits as a number of JSON, or as one with a point or an exponent.
    private func holdsNumber(_ bytes: [UInt8], _ syntax: TextSyntax) -> Bool {
        var scrubber = ResponseScrubber(numbers, syntax)
        return (try? scrubber.scrub(bytes, isLast: true)) == nil || scrubber.found > 0
    }

    private static func admits(_ value: RevealedValue, _ text: Span<UInt8>, _ range: Range<Int>) -> Bool {
        let isDigits = value.beginning.allSatisfy(\.isDigit)
        if value.reach == .anywhere || value.beginning.count >= (isDigits ? longNumber : longText) { return true }
        if isDigits && text.isWithinNumber(range) || text.isWithinUUID(range) { return false }
        let before = text.followsWord(range.lowerBound) ? text[range.lowerBound - 1] : nil
        let after = range.upperBound < text.count ? text[range.upperBound] : nil
        let adjoining = [before, after].compactMap(\.self).filter(\.isASCIIAlphanumeric)
        if adjoining.isEmpty { return true }
        return adjoining.count == 1 && !adjoining[0].isDigit && isDigits
    }
}

extension Span where Element == UInt8 {
    /// Whether digits belong to a number with a point, such as a price or the fraction of a second.
    fileprivate func isWithinNumber(_ range: Range<Int>) -> Bool {
        let (start, end) = (range.lowerBound, range.upperBound)
        if start > 1, self[start - 1] == UInt8(ascii: "."), self[start - 2].isDigit { return true }
        return end + 1 < count && self[end] == UInt8(ascii: ".") && self[end + 1].isDigit
    }

    /// Whether they are part of a UUID as text (RFC 9562 section 4).
    fileprivate func isWithinUUID(_ range: Range<Int>) -> Bool {
        var (start, end) = (range.lowerBound, range.upperBound)
        while start > 0, end - start <= 36, self[start - 1].isOfUUID { start -= 1 }
        while end < count, end - start <= 36, self[end].isOfUUID { end += 1 }
        guard end - start == 36 else { return false }
        return [8, 13, 18, 23].allSatisfy { self[start + $0] == UInt8(ascii: "-") }
    }
}

extension UInt8 {
    fileprivate var isOfUUID: Bool { hexadecimalValue != nil || self == UInt8(ascii: "-") }
}

extension CallResponse {
    /// This response, which may be stored unless it contains one of the texts.
    ///
    /// - Parameter bytes: of the request, whose texts they are.
    func storable(
        unlessItHas texts: @autoclosure @Sendable () -> FleetingTexts, of bytes: Int
    ) async -> CallResponse {
        var response = self
        response.isStorable = await LargeBodies.work(on: max(body.count, bytes)) { !texts().occur(in: self) }
        return response
    }
}
