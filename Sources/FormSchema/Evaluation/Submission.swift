public import JSON
internal import Sensitive

/// What a client submitted to a form: a text for each field that was given, and data to pass along
/// (`fields.md` section 2).
public struct Submission: Sendable {
    /// By the form's field order; nil for a field that was not given.
    let values: [SensitiveText?]
    let extraData: JSONObject

    /// - Throws: what makes `json` no submission to `form`.
    public init(_ json: JSONValue, for form: FormSchema) throws(SubmissionError) {
        guard case .object(let object) = json else {
            throw .malformed("the body must be an object, not \(json.kind)")
        }
        var fields = JSONObject()
        var extraData = JSONObject()
        // By index, here and below: taking a member out of the array would count its texts up and down.
        for index in object.members.indices {
            switch object.members[index].key {
            case "fields": fields = try Self.object(object.members[index])
            case "extraData": extraData = try Self.object(object.members[index])
            case let key: throw .malformed("unknown member \(quoted(key)); allowed: fields, extraData")
            }
        }
        self.extraData = extraData
        values = try Self.values(of: fields.members, for: form)
    }

    private static func object(_ member: JSONObject.Member) throws(SubmissionError) -> JSONObject {
        guard let object = member.value.object else {
            throw .malformed("\(member.key) must be an object, not \(member.value.kind)")
        }
        return object
    }

    private static func values(
        of members: [JSONObject.Member], for form: FormSchema
    ) throws(SubmissionError) -> [SensitiveText?] {
        // Not by `init(repeating:count:)`, which asks the runtime for the array's type every time.
        var values: [SensitiveText?] = []
        values.reserveCapacity(form.fields.count)
        for _ in form.fields.indices { values.append(nil) }
        var unknown: [String] = []
        let members = members.span
        for position in members.indices {
            guard case .string(let text) = members[position].value else {
                let (name, kind) = (quoted(members[position].key), members[position].value.kind)
                throw .malformed("the value of field \(name) must be a string, not \(kind)")
            }
            // Most clients send the fields in the form's order, so that the first guess is right.
            let guess =
                position < form.fields.count && form.fields[position].name.hasSameBytes(as: members[position].key)
            if let index = guess ? position : form.index(ofField: members[position].key) {
                values[index] = SensitiveText(text)
            } else {
                unknown.append(members[position].key)
            }
        }
        guard unknown.isEmpty else { throw .unknownFields(unknown) }
        return values
    }
}

/// Why a JSON text is no submission to a form. It names fields, never their values.
public enum SubmissionError: Error, Sendable {
    /// Not the shape of a submission; the text says why.
    case malformed(String)
    /// Names that the form lacks, all of them.
    case unknownFields([String])
}
