import Configuration
import FormSchema
import JSON

/// The forms that one loop of a server hosts. A reload replaces the table.
final class FormTable: Sendable {
    private let byID: [String: HostedForm]
    /// The origins of all forms, for responses that are about none.
    let allowedOrigins: [String]
    /// The body of `GET /v1/forms`.
    let summary: [UInt8]
    /// The body of `GET /openapi.json`; nil if it is not served.
    let openAPI: [UInt8]?

    init(_ schemas: [FormSchema], routes: [Route], openAPI: [UInt8]? = nil) {
        self.openAPI = openAPI
        let routes = Dictionary(routes.map { ($0.name, $0) }) { first, _ in first }
        byID = Dictionary(schemas.map { ($0.form, HostedForm($0, routes: routes)) }) { first, _ in first }
        allowedOrigins = schemas.reduce(into: []) { all, schema in
            for origin in schema.allowedOrigins where !all.contains(where: { $0.hasSameBytes(as: origin) }) {
                all.append(origin)
            }
        }
        var json = JSONWriter(capacity: 1_024)
        json.beginObject()
        json.key("forms")
        json.beginArray()
        for schema in schemas { schema.writeSummary(into: &json) }
        json.endArray()
        json.endObject()
        summary = json.bytes
    }

    /// A copy for another loop, so that requests on different loops retain no common object.
    init(copying table: FormTable) {
        let hosted = Array(table.byID.values)
        let copies = zip(FormSchema.copies(of: hosted.map(\.schema)), hosted).map { HostedForm($0, as: $1) }
        byID = Dictionary(copies.map { ($0.schema.form, $0) }) { first, _ in first }
        allowedOrigins = table.allowedOrigins
        summary = table.summary
        openAPI = table.openAPI
    }

    /// A table for each of `count` loops. They share nothing that a request retains: contended reference counts are slow.
    static func tables(_ count: Int, _ configuration: Configuration) -> [FormTable] {
        let openAPI = configuration.servesDocs ? OpenAPIDocument(configuration).bytes : nil
        let first = FormTable(configuration.forms, routes: configuration.routes, openAPI: openAPI)
        return [first] + (1..<max(count, 1)).map { _ in FormTable(copying: first) }
    }

    /// The form of this id, byte for byte: a dictionary also finds what is canonically equivalent.
    subscript(_ id: String) -> HostedForm? {
        guard let form = byID[id], form.schema.form.hasSameBytes(as: id) else { return nil }
        return form
    }
}
