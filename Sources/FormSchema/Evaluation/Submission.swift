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
        guard let members = json.object?.members else {
            throw .malformed("the body must be an object, not \(json.kind)")
        }
        var fields: JSONObject?
        var extraData: JSONObject?
        for member in members {
            switch member.key {
            case "fields": fields = try Self.object(member)
            case "extraData": extraData = try Self.object(member)
            default: throw .malformed("unknown member \(quoted(member.key)); allowed: fields, extraData")
            }
        }
        self.extraData = extraData ?? JSONObject()
        values = try Self.values(of: fields?.members ?? [], for: form)
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
        var values = [SensitiveText?](repeating: nil, count: form.fields.count)
        var unknown: [String] = []
        for (position, member) in members.enumerated() {
            guard let text = member.value.string else {
                throw .malformed("the value of field \(quoted(member.key)) must be a string, not \(member.value.kind)")
            }
            // Most clients send the fields in the form's order, so that the first guess is right.
            let guess = position < form.fields.count && form.fields[position].name.hasSameBytes(as: member.key)
            if let index = guess ? position : form.index(ofField: member.key) {
                values[index] = SensitiveText(text)
            } else {
                unknown.append(member.key)
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
