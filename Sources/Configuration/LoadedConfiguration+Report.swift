internal import FormSchema
internal import JSON

/// What `cloakroom check --format json` prints: for editors and CI, which would otherwise take lines apart.
extension LoadedConfiguration {
    /// Whether a gateway would start with it.
    public var isValid: Bool { mistakes.isEmpty && configuration != nil }

    /// One JSON object, without a line end. `forms` and `routes` are empty if there are mistakes.
    public var report: [UInt8] {
        var json = JSONWriter(capacity: 4_096)
        json.beginObject()
        json.key("isValid")
        json.bool(isValid)
        json.key("mistakes")
        Self.write(mistakes, into: &json)
        json.key("warnings")
        Self.write(warnings, into: &json)
        let checked = isValid ? configuration : nil
        json.key("forms")
        json.beginArray()
        for (form, file) in checked?.formFiles ?? [] { Self.write(form, file, into: &json) }
        json.endArray()
        json.key("routes")
        json.beginArray()
        for route in checked?.routes ?? [] { Self.write(route, into: &json) }
        json.endArray()
        json.endObject()
        return json.bytes
    }

    private static func write(_ findings: [Mistake], into json: inout JSONWriter) {
        json.beginArray()
        for finding in findings {
            json.beginObject()
            json.key("file")
            if let file = finding.file { json.string(file) } else { json.null() }
            json.key("line")
            if let line = finding.line { json.number(line) } else { json.null() }
            json.key("path")
            json.string(finding.path)
            json.key("message")
            json.string(finding.message)
            json.endObject()
        }
        json.endArray()
    }

    private static func write(_ form: FormSchema, _ file: String, into json: inout JSONWriter) {
        json.beginObject()
        json.key("form")
        json.string(form.form)
        json.key("file")
        json.string(file)
        json.key("route")
        if let route = form.route { json.string(route) } else { json.null() }
        json.key("fields")
        json.strings(form.fieldNames)
        json.endObject()
    }

    private static func write(_ route: Route, into json: inout JSONWriter) {
        json.beginObject()
        json.key("name")
        json.string(route.name)
        json.key("kind")
        json.string(route.kind.rawValue)
        json.key("url")
        if route.baseDescription == "-" { json.null() } else { json.string(route.baseDescription) }
        json.endObject()
    }
}
