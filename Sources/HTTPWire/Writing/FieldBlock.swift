/// Header lines that are checked and joined once, and written many times by one copy. As with all headers that a caller
/// passes to the writer, `Content-Length`, `Transfer-Encoding`, `Connection` and `Host` are left out: a block can state no
/// framing of its own.
///
/// The program's own lines are literals in the executable, which need no retain: all loops write them with every response, and
/// would contend for a shared reference count. Other lines are one object, so that passing them on is one retain.
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

    /// Lines written in the program, `Name: value` and CRLF each. Only debug builds check them.
    public init(literal: StaticString) {
        lines = .literal(literal)
        assert(fields.allSatisfy { name, _ in !FieldBlock.leavesOut(name) }, "the writer itself writes this header")
    }

    private static func leavesOut(_ name: String) -> Bool { MessageKind.request.owns(name.utf8Span.span) }

    /// Throws ``WireError/unwritableField`` if a name is not a token or a value contains a control character.
    public init(_ fields: [(String, String)]) throws(WireError) {
        let fields = fields.filter { name, _ in !FieldBlock.leavesOut(name) }
        var writer = WireWriter()
        for (name, value) in fields { try writer.field(name, value) }
        lines = .made(Made(bytes: writer.take(), fields: fields))
    }

    /// Lines whose values need not be UTF-8 (obs-text, RFC 9110 section 5.5), to be forwarded unchanged.
    public init(opaque fields: [(String, [UInt8])]) throws(WireError) {
        let fields = fields.filter { name, _ in !FieldBlock.leavesOut(name) }
        var writer = WireWriter()
        for (name, value) in fields { try writer.field(name, opaque: value) }
        lines = .made(Made(bytes: writer.take(), opaque: fields))
    }

    /// Names and values, for code that inspects a response instead of sending it.
    public var fields: [(String, String)] {
        switch lines {
        case .made(let made): made.fields
        case .literal(let text):
            // Swift treats CRLF as one character.
            text.description.split(separator: "\r\n").map { line in
                let name = line.prefix { $0 != ":" }
                return (String(name), String(line.dropFirst(name.count + 2)))
            }
        }
    }

    /// Names and values of the lines given as bytes; ``fields`` does not contain them.
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
