/// How a text is encoded, as far as digits and letters can be found in it.
enum TextCoding {
    case utf8
    /// ASCII characters are the bytes that they are in ASCII; how others are written is not known.
    case holdsASCII

    /// The coding of this name, in lower case (the IANA's character sets); nil for those in which ASCII characters are other bytes: of two
    /// or four bytes a character, UTF-7, EBCDIC. A name that is not known is taken for one of the many others.
    init?(charset: Substring) {
        let name = charset.filter { $0 != "\"" && $0 != "'" }
        switch name {
        case "utf-8", "utf8", "us-ascii", "ascii": self = .utf8
        default:
            guard !Self.foreign.contains(where: name.hasPrefix), !Self.isEBCDIC(name) else { return nil }
            self = .holdsASCII
        }
    }

    private static let foreign = [
        "utf-16", "utf16", "utf-32", "utf32", "utf-7", "utf7", "unicode", "csunicode", "ucs-", "iso-10646", "csucs",
        "ebcdic", "csebcdic",
    ]

    /// Code pages of IBM have numbers; those of personal computers hold ASCII, most others are EBCDIC.
    private static func isEBCDIC(_ name: String) -> Bool {
        guard let prefix = ["ibm", "csibm", "cp", "ccsid"].first(where: name.hasPrefix) else { return false }
        let digits = name.dropFirst(prefix.count).drop { !$0.isNumber }
        guard let page = Int(digits) else { return false }
        return !pagesWithASCII.contains(page) && !(1250...1258).contains(page)
    }

    private static let pagesWithASCII: Set = [
        367, 437, 708, 720, 737, 775, 813, 819, 850, 852, 855, 857, 858, 860, 861, 862, 863, 864, 865, 866, 868, 869,
        874, 878, 912, 915, 916, 920, 923, 932, 936, 942, 943, 949, 950, 951, 1006, 1124, 1129, 1168, 1208, 1381, 1383,
        1386,
    ]
}
