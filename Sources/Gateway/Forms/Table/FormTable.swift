import FormSchema
import JSON

/// The forms that one loop of a server hosts at one time. A reload makes new tables.
final class FormTable: Sendable {
    private let byID: [String: HostedForm]
    /// The answer to `GET /v1/forms`.
    let summary: [UInt8]

    /// A table of copies: what a request looks at belongs to its loop.
    init(copying schemas: [FormSchema], routes: [Route]) {
        let routes = Dictionary(routes.map { ($0.name, $0) }) { first, _ in first }
        let copies = FormSchema.copies(of: schemas)
        byID = Dictionary(copies.map { ($0.form, HostedForm($0, routes: routes)) }) { first, _ in first }
        var json = JSONWriter(capacity: 1_024)
        json.beginObject()
        json.key("forms")
        json.beginArray()
        for schema in schemas { schema.writeSummary(into: &json) }
        json.endArray()
        json.endObject()
        summary = json.bytes
    }

    /// The form of this id, byte for byte: a dictionary also finds what is canonically equivalent.
    subscript(_ id: String) -> HostedForm? {
        guard let form = byID[id], form.schema.form.hasSameBytes(as: id) else { return nil }
        return form
    }
}
