/// Header lines that are checked and put together once, and written many times by one copy.
///
/// The program's own lines lie in the executable, where handing them on counts nothing: all loops write them with every answer, and
/// would wait for each other at the count. Others are one object, so that handing it on counts one reference.
public struct FieldBlock: Sendable {
    private enum Lines: Sendable {
        case literal(StaticString)
        case made(Made)
    }

    private final class Made: Sendable {
        let bytes: [UInt8]
        let fields: [(String, String)]
        let opaque: [(String, [UInt8])]

        init(bytes: [UInt8], fields: [(String, String)] = [], opaque: [(String, [UInt8])] = []) {
            self.bytes = bytes
            self.fields = fields
            self.opaque = opaque
        }
    }

    private let lines: Lines

    /// No lines.
    public static var none: FieldBlock { FieldBlock(literal: "") }

    /// Lines of the program's own text, `Name: value` and CRLF each, which need no check.
    public init(literal: StaticString) {
        lines = .literal(literal)
    }

    /// Throws ``WireError/unwritableField`` if a name is no token or a value holds a control character.
    public init(_ fields: [(String, String)]) throws(WireError) {
        var writer = WireWriter()
        for (name, value) in fields { try writer.field(name, value) }
        lines = .made(Made(bytes: writer.take(), fields: fields))
    }

    /// Lines whose values need not be UTF-8 (obs-text, RFC 9110 §5.5), to be passed on as they came.
    public init(opaque fields: [(String, [UInt8])]) throws(WireError) {
        var writer = WireWriter()
        for (name, value) in fields { try writer.field(name, opaque: value) }
        lines = .made(Made(bytes: writer.take(), opaque: fields))
    }

    /// Names and values, for those who look at a message instead of sending it.
    public var fields: [(String, String)] {
        switch lines {
        case .made(let made): made.fields
        case .literal(let text):
            // CRLF is one character.
            text.description.split(separator: "\r\n").map { line in
                let name = line.prefix { $0 != ":" }
                return (String(name), String(line.dropFirst(name.count + 2)))
            }
        }
    }

    /// Names and values of lines that were given as bytes; ``fields`` has none of them.
    public var opaque: [(String, [UInt8])] { if case .made(let made) = lines { made.opaque } else { [] } }

    /// Writes the lines.
    @inline(__always)
    func write(by writer: inout WireWriter) {
        switch lines {
        case .literal(let text): writer.append(text)
        case .made(let made): writer.append(made.bytes)
        }
    }
}
