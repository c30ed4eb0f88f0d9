internal import JSON

/// A form: what it asks for, and what becomes of the answers (`fields.md` section 1).
///
/// Only the loader makes one, so a `FormSchema` that exists is valid.
public final class FormSchema: Sendable {
    /// Who may call one of a form's operations.
    public enum Caller: String, Sendable, CaseIterable {
        case `public`
        case credential
    }

    public struct Access: Sendable {
        public var validate = Caller.public
        public var aliases = Caller.credential
        public var tokens = Caller.public
        public var send = Caller.public
    }

    /// The form's id: 1–64 letters, digits, `_` and `-`.
    public let form: String
    public let title: String?
    /// IANA name of the zone that decides the current month.
    public let timeZone: String
    /// Name of the route that the form is sent to.
    public let route: String?
    public let access: Access
    /// Origins whose pages may call the form (CORS); `*` for any.
    public let allowedOrigins: [String]
    let mappingPolicy: MappingPolicy
    let lenientInput: Bool
    let omitEmptyFields: Bool
    let cardBrands: CardBrands
    let fields: [Field]
    /// How the answer of `validate` begins, up to the form's `isValid`; without the brace of its object.
    let verdictHead: [UInt8]
    /// How many entries the fields have together.
    let entryCount: Int
    /// Where all of them stand in a body.
    let bodyPlaces: [BodyNode.Member]
    /// Where each field stands, by the bytes of its name.
    private let indexes: [[UInt8]: Int]

    init(
        form: String, title: String?, timeZone: String, route: String?, access: Access, allowedOrigins: [String],
        mappingPolicy: MappingPolicy, lenientInput: Bool, omitEmptyFields: Bool, cardBrands: CardBrands, fields: [Field]
    ) {
        self.form = form
        self.title = title
        self.timeZone = timeZone
        self.route = route
        self.access = access
        self.allowedOrigins = allowedOrigins
        self.mappingPolicy = mappingPolicy
        self.lenientInput = lenientInput
        self.omitEmptyFields = omitEmptyFields
        self.cardBrands = cardBrands
        self.fields = fields
        let entries = fields.flatMap(\.entries)
        entryCount = entries.count
        bodyPlaces = BodyNode.members(placing: entries)
        verdictHead = Self.verdictHead(form)
        indexes = Dictionary(
            fields.enumerated().map { (Array($1.name.utf8), $0) }, uniquingKeysWith: { first, _ in first })
    }
}

extension FormSchema {
    private static func verdictHead(_ form: String) -> [UInt8] {
        var writer = JSONWriter(capacity: 64)
        writer.key("form")
        writer.string(form)
        writer.key("isValid")
        return writer.bytes
    }

    /// The names of all fields, in form order.
    public var fieldNames: [String] { fields.map(\.name) }

    /// Where the field of that name stands.
    func index(ofField name: String) -> Int? { indexes[Array(name.utf8)] }
}
