/// The allowed names for a message: the one that was probably meant, or all of them.
func oneOf(_ names: [String], closestTo text: String) -> String {
    let limit = max(1, min(text.count, 40) / 3)
    let near = names.map { ($0, editDistance($0, text)) }.filter { $0.1 <= limit }.min { $0.1 < $1.1 }
    if let near { return "\(near.0)?" }
    return "allowed: " + names.joined(separator: ", ")
}

/// Configuration text in a message: quoted and cut, so that a long mistake stays readable.
public func quoted(_ text: String) -> String {
    printable(text.count <= 60 ? "\"\(text)\"" : "\"\(text.prefix(60))…\"")
}

/// Text that can be shown in a line: control characters, which could break it or move a terminal's cursor, are escaped, and so are those
/// that break lines or change the direction of what follows (Unicode: Zl, Zp, Bidi_Control).
func printable(_ text: String) -> String {
    var shown = ""
    for scalar in text.unicodeScalars {
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0, 0x061C, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069:
            shown += "\\u{\(String(scalar.value, radix: 16))}"
        default: shown.unicodeScalars.append(scalar)
        }
    }
    return shown
}

/// Levenshtein's distance without regard to case, in insertions, deletions and replacements.
private func editDistance(_ left: String, _ right: String) -> Int {
    let left = Array(left.lowercased().prefix(64))
    let right = Array(right.lowercased().prefix(64))
    var row = Array(0...right.count)
    for (i, character) in left.enumerated() {
        var diagonal = row[0]
        row[0] = i + 1
        for (j, other) in right.enumerated() {
            let replaced = diagonal + (character == other ? 0 : 1)
            diagonal = row[j + 1]
            row[j + 1] = min(replaced, row[j] + 1, row[j + 1] + 1)
        }
    }
    return row[right.count]
}
