/// What a text itself says of its coding: where it is another one than its type says, or its type says nothing.
enum TextContent {
    /// Bytes of a text in which XML says how it is encoded.
    private static let declaration = 256
    private static let xml = Array("<?xml".utf8)
    /// `<?xm` in EBCDIC (XML 1.0, appendix F).
    private static let ebcdic: [UInt8] = [0x4C, 0x6F, 0xA7, 0x94]

    /// Whether digits can't be found in a text that begins so: XML in EBCDIC, or in UTF-7. A declaration of UTF-16 is
    /// passed over: text in UTF-16 could not be read as ASCII here, and UTF-8 often carries it by mistake.
    static func isForeign(_ beginning: [UInt8]) -> Bool {
        if beginning.starts(with: ebcdic) { return true }
        guard beginning.starts(with: xml) else { return false }
        let declared = String(decoding: beginning.prefix(declaration), as: UTF8.self).lowercased()
        return declared.prefix { $0 != ">" }.contains("utf-7")
    }

    /// Whether a text is in UTF-16 or UTF-32: each digit has a zero byte beside it there, which no other text holds.
    static func isWide(_ text: [UInt8]) -> Bool { text.contains(0) }

    /// Whether more bytes can't change what ``isForeign(_:)`` says.
    static func isDecided(_ beginning: [UInt8]) -> Bool {
        if beginning.count >= declaration { return true }
        let isXML = beginning.starts(with: xml.prefix(beginning.count))
        if isXML { return beginning.contains(UInt8(ascii: ">")) }
        return beginning.count >= ebcdic.count || !beginning.starts(with: ebcdic.prefix(beginning.count))
    }
}

/// The beginning of a text that comes piece by piece: it is held back until it is known how the text is encoded.
struct TextBeginning {
    private var held: [UInt8]? = []

    /// What may be looked through of the text so far; nil if that can't be done.
    mutating func pass(_ piece: [UInt8], isLast: Bool) -> [UInt8]? {
        guard let before = held else { return piece }
        let text = before.isEmpty ? piece : before + piece
        guard isLast || TextContent.isDecided(text) else {
            held = text
            return []
        }
        held = nil
        return TextContent.isForeign(text) ? nil : text
    }
}
