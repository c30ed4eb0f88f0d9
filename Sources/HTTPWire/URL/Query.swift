/// A query, or a form-encoded body, of the form `a=b&c=d`: decoded, in order, names may repeat.
public struct Query: Sendable {
    /// Names and values, decoded, in their order.
    public let items: [(name: String, value: String)]

    /// Reads `text`, a query without its `?`. A part without `=` has the empty value; empty parts are skipped.
    ///
    /// Throws ``WireError/malformedTarget`` if an escape is malformed, or a text is not UTF-8 or contains a NUL.
    public init(_ text: String, plus: PercentEncoding.Plus = .isSpace) throws(WireError) {
        var items: [(name: String, value: String)] = []
        for part in text.utf8.split(separator: UInt8(ascii: "&")).map(Substring.init) {
            let mark = part.utf8.firstIndex(of: UInt8(ascii: "="))
            let name = try PercentEncoding.decode(part[..<(mark ?? part.endIndex)], plus: plus)
            let value = try mark.map { mark throws(WireError) in
                try PercentEncoding.decode(part[part.utf8.index(after: mark)...], plus: plus)
            }
            items.append((name, value ?? ""))
        }
        self.items = items
    }

    /// The value of the first item named `name`.
    public subscript(_ name: String) -> String? {
        items.first { $0.name.utf8.elementsEqual(name.utf8) }?.value
    }

    /// The values of all items named `name`, in order.
    public func all(_ name: String) -> [String] {
        items.filter { $0.name.utf8.elementsEqual(name.utf8) }.map(\.value)
    }
}
