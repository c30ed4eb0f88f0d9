/// The headers of a received message, in the order in which they came.
///
/// Stores one copy of the head and the positions of names and values in it; strings are made on demand. Names are compared
/// case-insensitively (RFC 9110 section 5.1). Bytes of a value that are not UTF-8 are returned as U+FFFD.
public struct Headers: Sendable {
    let bytes: [UInt8]
    let fields: [Field]

    /// The number of header lines.
    public var count: Int { fields.count }

    /// The value of the first line named `name`, without surrounding white space.
    public subscript(_ name: String) -> String? {
        // By index, here and below: an iterator would retain and release the array.
        for index in fields.indices where isNamed(fields[index], name) { return text(fields[index].value) }
        return nil
    }

    /// The value of the first line of a known name. Cheaper than by text: names are not compared.
    public subscript(_ name: KnownField) -> String? {
        for index in fields.indices where fields[index].known == name { return text(fields[index].value) }
        return nil
    }

    /// Whether the value of the first line of a known name is `value`, which is in lower case, in any mixture of cases.
    public func holds(_ value: StaticString, in name: KnownField) -> Bool {
        let span = bytes.span
        for index in fields.indices where fields[index].known == name {
            return span.equals(value, ignoringCaseIn: fields[index].value)
        }
        return false
    }

    /// Whether there are several lines of a known name.
    public func isRepeated(_ name: KnownField) -> Bool {
        var count = 0
        for index in fields.indices where fields[index].known == name { count += 1 }
        return count > 1
    }

    /// The values of all lines named `name`, in order.
    public func all(_ name: String) -> [String] {
        var values: [String] = []
        for index in fields.indices where isNamed(fields[index], name) { values.append(text(fields[index].value)) }
        return values
    }

    /// The values of all lines named `name`, in order; nil for a value that is not UTF-8 (obs-text, RFC 9110 section 5.5), for callers
    /// that forward values and must not alter them.
    public func texts(_ name: String) -> [String?] {
        var values: [String?] = []
        for index in fields.indices where isNamed(fields[index], name) {
            values.append(exactText(fields[index].value))
        }
        return values
    }

    /// The value of the line named `name`, if there is exactly one and its value is UTF-8.
    public func onlyText(_ name: String) -> String? {
        var only: Int?
        for index in fields.indices where isNamed(fields[index], name) {
            if only != nil { return nil }
            only = index
        }
        return only.flatMap { exactText(fields[$0].value) }
    }

    /// The bytes of the values of all lines named `name`, in order.
    public func opaque(_ name: String) -> [[UInt8]] {
        fields.filter { isNamed($0, name) }.map { Array(bytes[$0.value]) }
    }

    /// Whether `Connection` lists `name`: such headers are for this connection only and must not be forwarded (RFC 9110 section 7.6.1).
    public func isConnectionSpecific(_ name: String) -> Bool {
        let span = bytes.span
        for field in fields where field.known == .connection {
            var elements = ListElements(field.value)
            while let element = elements.next(in: span) { if isEqual(element, name) { return true } }
        }
        return false
    }

    /// Whether there is a line named `name`.
    public func contains(_ name: String) -> Bool {
        fields.contains { isNamed($0, name) }
    }

    @inline(__always)
    private func isNamed(_ field: Field, _ name: String) -> Bool { isEqual(field.name, name) }

    @inline(__always)
    private func isEqual(_ own: Range<Int>, _ name: String) -> Bool {
        // Most names differ in length.
        guard own.count == name.utf8.count else { return false }
        let wanted = name.utf8.span
        let span = bytes.span
        for index in wanted.indices where span[own.lowerBound + index].lowercased != wanted[index].lowercased {
            return false
        }
        return true
    }

    private func text(_ range: Range<Int>) -> String { bytes.span.text(range) }

    /// Nil if the bytes are not UTF-8.
    private func exactText(_ range: Range<Int>) -> String? {
        do throws(UTF8.ValidationError) {
            return String(copying: try UTF8Span(validating: bytes.span.extracting(range)))
        } catch { return nil }
    }
}

extension Headers {
    /// Whether the body has a content coding, such as gzip (RFC 9110 section 8.4).
    public var hasContentCoding: Bool {
        !all("Content-Encoding").allSatisfy { $0.isEmpty || $0.lowercased() == "identity" }
    }
}

extension Headers: Sequence {
    /// Iterates over the lines in order, names as they were written.
    public struct Iterator: IteratorProtocol {
        private let headers: Headers
        private var index = 0

        init(_ headers: Headers) { self.headers = headers }

        public mutating func next() -> (name: String, value: String)? {
            guard index < headers.fields.count else { return nil }
            let field = headers.fields[index]
            index += 1
            return (headers.text(field.name), headers.text(field.value))
        }
    }

    public func makeIterator() -> Iterator { Iterator(self) }
}

/// Headers contain credentials, so printing or dumping a head shows none of its bytes.
extension Headers: CustomReflectable {
    public var customMirror: Mirror { Mirror(self, children: ["count": count]) }
}
