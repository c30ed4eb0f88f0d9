/// Header lines that are checked and put together once, and written many times by one copy. A class, so that handing it on
/// counts one reference.
public final class FieldBlock: Sendable {
    /// The lines, each with its CRLF.
    let bytes: [UInt8]
    /// Names and values, for those who look at a message instead of sending it.
    public let fields: [(String, String)]

    /// No lines.
    public static let none = FieldBlock(literals: [])

    /// Lines of the program's own text, which needs no check.
    public init(literals: [(StaticString, StaticString)]) {
        var bytes: [UInt8] = []
        for (name, value) in literals { bytes += Array("\(name): \(value)\r\n".utf8) }
        self.bytes = bytes
        fields = literals.map { ($0.description, $1.description) }
    }

    /// Throws ``WireError/unwritableField`` if a name is no token or a value holds a control character.
    public init(_ fields: [(String, String)]) throws(WireError) {
        var writer = WireWriter()
        for (name, value) in fields { try writer.field(name, value) }
        bytes = writer.take()
        self.fields = fields
    }
}
