extension String {
    /// A text that somebody else has chosen, as a client its agent and an identity provider its subjects: what moves a terminal's cursor,
    /// turns the direction of a text round or ends a line is a space.
    ///
    /// Most texts have nothing of that, and are not copied: each line of the access log asks.
    var inOneLine: String {
        utf8.allSatisfy { (0x20..<0x7F).contains($0) } ? self : Self.inOneLine(unicodeScalars)
    }

    /// The same of some of a text's scalars.
    static func inOneLine(_ scalars: some Sequence<Unicode.Scalar>) -> String {
        String(
            scalars.map { scalar -> Character in
                switch scalar.properties.generalCategory {
                case .control, .format, .lineSeparator, .paragraphSeparator: " "
                default: Character(scalar)
                }
            })
    }

    /// As the value of a member in a line of text: in quotes where it could be taken for several.
    var asMember: String {
        let isWord = utf8.allSatisfy { byte in
            byte > 0x20 && byte < 0x7F && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "=")
        }
        return isWord && !isEmpty ? self : "\"\(inOneLine.replacing("\"", with: "'"))\""
    }
}
