import FormSchema

/// A number of bytes as it is written in a configuration: `8KiB`, `1 MB`, or a plain whole number of bytes.
enum ByteCount {
    private static let units: [(name: String, bytes: Int)] = [
        ("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30), ("TiB", 1 << 40), ("kB", 1_000), ("KB", 1_000),
        ("MB", 1_000_000), ("GB", 1_000_000_000), ("TB", 1_000_000_000_000), ("B", 1), ("", 1),
    ]

    /// The number of bytes; nil if `text` is no amount or does not fit.
    static func parse(_ text: String) -> Int? {
        let digits = text.prefix { $0.isASCII && $0.isWholeNumber }
        guard let count = Int(digits) else { return nil }
        var unit = text[digits.endIndex...]
        if unit.first == " " { unit.removeFirst() }
        guard let bytes = units.first(where: { $0.name == unit })?.bytes else { return nil }
        let product = count.multipliedReportingOverflow(by: bytes)
        return product.overflow ? nil : product.partialValue
    }
}

extension DocumentReader {
    /// The value as an amount of bytes within `range`.
    func byteCount(in range: ClosedRange<Int>) -> Int? {
        let text: String
        switch node.content {
        case .number(let number): text = number
        case .text(let written): text = written
        default:
            mistake("expected an amount of bytes such as 8KiB or 1MiB")
            return nil
        }
        guard let bytes = ByteCount.parse(text) else {
            mistake("not an amount of bytes (8KiB, 1MiB, 1GiB, 500kB, or a whole number of bytes)")
            return nil
        }
        guard range.contains(bytes) else {
            mistake("must be from \(range.lowerBound) to \(range.upperBound) bytes")
            return nil
        }
        return bytes
    }
}
