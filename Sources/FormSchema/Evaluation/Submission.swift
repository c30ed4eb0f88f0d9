public import JSON
internal import Sensitive

/// What a client submitted to a form: a text for each field that was given, and data to pass along
/// (`docs/reference/fields.md` section 2).
public struct Submission: Sendable {
    /// By the form's field order; nil for a field that was not given.
    let values: [SensitiveText?]
    /// The submission as received.
    let text: JSONText
    /// The object `extraData` in the text; nil if there is none.
    let extraData: JSONText.Place?

    /// - Throws: why `text` is not a submission to `form`.
    public init(_ text: JSONText, for form: FormSchema) throws(SubmissionError) {
        guard text.kind(at: text.root) == .object else {
            throw .malformed("the body must be an object, not \(text.kind(at: text.root))")
        }
        var fields: JSONText.Place?
        var extraData: JSONText.Place?
        for member in text.members(of: text.root) {
            if text.holds("fields", at: member.key) {
                fields = member.value
            } else if text.holds("extraData", at: member.key) {
                extraData = member.value
            } else {
                let name = quoted(text.string(at: member.key) ?? "")
                throw .malformed("unknown member \(name); allowed: fields, extraData")
            }
        }
        try self.init(fields: fields, extraData: extraData, in: text, for: form)
    }

    /// - Parameters:
    ///   - fields: the member `fields` of the text; nil if there is none.
    ///   - extraData: the member `extraData` of the text; nil if there is none.
    /// - Throws: why they are not a submission to `form`.
    public init(
        fields: JSONText.Place?, extraData: JSONText.Place?, in text: JSONText, for form: FormSchema
    ) throws(SubmissionError) {
        if let fields { try Self.requireObject("fields", text.kind(at: fields)) }
        if let extraData { try Self.requireObject("extraData", text.kind(at: extraData)) }
        values = try Self.values(of: fields, in: text, for: form)
        self.extraData = extraData
        self.text = text
    }

    private static func requireObject(_ name: String, _ kind: JSONKind) throws(SubmissionError) {
        guard kind == .object else { throw .malformed("\(name) must be an object, not \(kind)") }
    }

    private static func values(
        of fields: JSONText.Place?, in text: JSONText, for form: FormSchema
    ) throws(SubmissionError) -> [SensitiveText?] {
        // Not `init(repeating:count:)`, which looks up the array's metadata in the runtime at every call.
        var values: [SensitiveText?] = []
        values.reserveCapacity(form.fields.count)
        for _ in form.fields.indices { values.append(nil) }
        guard let fields else { return values }
        var unknown: [String] = []
        var mistyped: SubmissionError?
        // Most clients send the fields in the form's order, so the next field in order is tried first.
        var guess = 0
        for member in text.members(of: fields) {
            let value = text.string(at: member.value)
            if value == nil, mistyped == nil {
                let (name, kind) = (quoted(text.string(at: member.key) ?? ""), text.kind(at: member.value))
                mistyped = .malformed("the value of field \(name) must be a string, not \(kind)")
            }
            if guess < form.fields.count, text.holds(form.fields[guess].name, at: member.key) {
                values[guess] = value.map { SensitiveText($0) }
            } else {
                let name = text.string(at: member.key) ?? ""
                if let index = form.index(ofField: name) {
                    values[index] = value.map { SensitiveText($0) }
                } else {
                    unknown.append(name)
                }
            }
            guess += 1
        }
        guard unknown.isEmpty else { throw .unknownFields(unknown) }
        if let mistyped { throw mistyped }
        return values
    }
}

/// Why a JSON text is not a submission to a form. It names fields, never their values.
public enum SubmissionError: Error, Sendable {
    /// Not an object of the right members and types; the text says why.
    case malformed(String)
    /// All names that the form has no field for.
    case unknownFields([String])
}
