/// The text of a secret as a file or stdin holds it: read in one way wherever it is given, so that the hash which `cloakroom credential`
/// makes of it fits where its file did.
public enum SecretText {
    /// The secret in `contents`: without the byte order mark that some editors begin a file with (Unicode, section 23.8), and without the
    /// line breaks at the end.
    public static func secret(in contents: String) -> String {
        var text = Substring(contents)
        if text.unicodeScalars.first == "\u{FEFF}" { text.unicodeScalars.removeFirst() }
        while text.last == "\n" || text.last == "\r\n" { text.removeLast() }
        return String(text)
    }

    /// Why a text cannot be a secret; nil if it can.
    public static func fault(of text: String) -> String? {
        if text.isEmpty { return "the secret is empty" }
        guard text.utf8.count <= 1024, text.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F }) else {
            return "a secret has at most 1,024 bytes and no control characters"
        }
        return nil
    }
}
