internal import JSON

/// A form: the fields that it asks for, and what happens to a submission (`docs/reference/fields.md` section 1).
///
/// Only the loader makes one, so a `FormSchema` that exists is valid.
public final class FormSchema: Sendable {
    /// Who may call one of a form's operations (`docs/reference/access.md`).
    public enum Caller: String, Sendable, CaseIterable {
        /// Anybody.
        case `public`
        /// The holder of a session for the form, or of a credential.
        case session
        /// The holder of a credential.
        case credential
    }

    /// The form key `access`.
    public struct Access: Sendable {
        /// Who may validate.
        public var validate = Caller.public
        /// Who may make aliases.
        public var aliases = Caller.credential
        /// Who may make aliases by the older call.
        public var tokens = Caller.public
        /// Who may send.
        public var send = Caller.public

        /// For credentials alone.
        static let closed = Access(
            validate: .credential, aliases: .credential, tokens: .credential, send: .credential)
    }

    /// The form key `guard`: what happens when a card number stands outside the card fields.
    public struct Guard: Sendable {
        /// What to do with a card number that was found.
        public enum Action: String, Sendable, CaseIterable {
            case refuse
            case mask
            case report
            case off

            /// Whether a text that can't be looked through must not be passed on.
            public var needsText: Bool { self == .refuse || self == .mask }
        }

        /// What is done about a card number that is not meant to be there.
        public var pan = Action.report
    }

    /// The form as far as clients need it (`docs/reference/browser.md` section 5).
    struct ClientSchema: Sendable {
        /// A form file in JSON, without route, access and origins, with patterns as JavaScript spells them.
        var json: [UInt8] = []
        /// Key paths of the patterns that are not in it.
        var serverOnlyPatterns: [String] = []
    }

    /// Key paths, such as `fields[2].validationRules[0].pattern`, of the patterns that clients are not sent because they may mean
    /// something else in JavaScript, or take too long there: the rules concerned are decided by the server alone. Empty if the form
    /// withholds its rules anyway.
    public var serverOnlyPatterns: [String] { client.serverOnlyPatterns }

    /// The keys that concern the server alone.
    struct Settings: Sendable {
        var title: String?
        var timeZone = "UTC"
        var route: String?
        var access = Access()
        var allowedOrigins: [String] = []
        var allowedHeaders: [String] = []
        var `guard` = Guard()
        var omitEmptyFields = false
    }

    /// The form's id: 1–64 letters, digits, `_` and `-`.
    public let form: String
    let settings: Settings
    /// Whether clients are told the rules and patterns.
    public let clientRules: Bool
    /// What clients are told so that they can evaluate the form themselves.
    let client: ClientSchema
    /// Whether a client evaluates the form, which may lack patterns (`docs/reference/browser.md` section 5).
    let isClient: Bool
    let mappingPolicy: MappingPolicy
    let lenientInput: Bool
    let cardBrands: CardBrands
    let fields: [Field]
    /// The response of `validate` up to the value of the form's `isValid`, without the opening brace.
    let verdictHead: [UInt8]
    /// Number of entries of all fields.
    let entryCount: Int
    /// Where each of them stands in a body.
    let bodyPlaces: [BodyNode.Member]
    /// Index of each field, by the bytes of its name.
    private let indexes: [[UInt8]: Int]

    init(
        form: String, settings: Settings, clientRules: Bool, client: ClientSchema, isClient: Bool,
        mappingPolicy: MappingPolicy, lenientInput: Bool, cardBrands: CardBrands, fields: [Field]
    ) {
        self.form = form
        self.settings = settings
        self.clientRules = clientRules
        self.client = client
        self.isClient = isClient
        self.mappingPolicy = mappingPolicy
        self.lenientInput = lenientInput
        self.cardBrands = cardBrands
        self.fields = fields
        let entries = fields.flatMap { $0.entries }
        entryCount = entries.count
        bodyPlaces = BodyNode.members(placing: entries.map { $0.path })
        verdictHead = Self.verdictHead(form)
        indexes = Self.indexes(of: fields)
    }
}

extension FormSchema {
    /// What people call the form.
    public var title: String? { settings.title }
    /// IANA name of the zone that decides the current month.
    public var timeZone: String { settings.timeZone }
    /// Name of the route that the form is sent to.
    public var route: String? { settings.route }
    /// Who may do what with it.
    public var access: Access { settings.access }
    /// Origins whose pages may call the form (CORS); `*` for any.
    public var allowedOrigins: [String] { settings.allowedOrigins }
    /// Request headers that pages of these origins may send besides those that the gateway reads itself.
    public var allowedHeaders: [String] { settings.allowedHeaders }
    /// What happens to card numbers outside the card fields.
    public var `guard`: Guard { settings.guard }
    var omitEmptyFields: Bool { settings.omitEmptyFields }
}

extension FormSchema {
    private static func verdictHead(_ form: String) -> [UInt8] {
        var writer = JSONWriter(capacity: 64)
        writer.key("form")
        writer.string(form)
        writer.key("isValid")
        return writer.bytes
    }

    private static func indexes(of fields: [Field]) -> [[UInt8]: Int] {
        var indexes: [[UInt8]: Int] = [:]
        for (index, field) in fields.enumerated() { indexes[Array(field.name.utf8)] = index }
        return indexes
    }

    /// The names of all fields, in form order.
    public var fieldNames: [String] { fields.map { $0.name } }

    /// The index of the field with that name.
    func index(ofField name: String) -> Int? { indexes[Array(name.utf8)] }
}

extension FormSchema {
    /// Whether any field becomes an alias.
    public var makesAliases: Bool { fields.contains { $0.tokenization != nil } }

    /// Names of the formats of its aliases.
    public var aliasFormats: Set<String> { Set(fields.compactMap { $0.tokenization?.format }) }

    /// Whether any field gets a PERSISTENT alias, which an equal value gets again.
    public var makesLastingAliases: Bool { fields.contains { $0.tokenization?.storage == .persistent } }

    /// Whether any field gets a VOLATILE alias.
    public var makesVolatileAliases: Bool { fields.contains { $0.tokenization?.storage == .volatile } }

    /// The fields whose text must never reach a disk, not even as a keyed digest: verification codes (PCI DSS 4.0, requirement
    /// 3.3.1.2), and those with VOLATILE storage.
    public var fleetingFields: Set<String> {
        var names: Set<String> = []
        for field in fields where field.type == .cvc || field.tokenization?.storage == .volatile {
            names.insert(field.name)
        }
        return names
    }
}
