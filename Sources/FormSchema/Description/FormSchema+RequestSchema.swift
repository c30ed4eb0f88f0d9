public import JSON

/// The JSON Schema of a submission, for generated clients (`docs/reference/fields.md` section 2).
extension FormSchema {
    /// Names, which of them are required, and lengths. A rule is told only where it means the same to a validator of JSON Schema:
    /// Luhn, dates and patterns over shaped text have no equal there.
    ///
    /// - Parameter requiresFields: whether required fields must be there; for `validate` their absence is a result.
    public func requestSchema(requiresFields: Bool) -> JSONValue {
        var properties = JSONObject()
        var required: [JSONValue] = []
        for field in fields {
            properties.set(field.name, field.requestSchema(mayBeEmpty: !requiresFields))
            if requiresFields, field.flags.isRequired { required.append(.string(field.name)) }
        }
        var texts = JSONObject()
        texts.set("type", .string("object"))
        texts.set("properties", .object(properties))
        if !required.isEmpty { texts.set("required", .array(required)) }
        texts.set("additionalProperties", .bool(false))

        var extra = JSONObject()
        extra.set("type", .string("object"))
        extra.set("description", .string("Passed on by `send` as it is."))

        var members = JSONObject()
        members.set("fields", .object(texts))
        members.set("extraData", .object(extra))
        var schema = JSONObject()
        schema.set("type", .string("object"))
        schema.set("properties", .object(members))
        if !required.isEmpty { schema.set("required", .array([.string("fields")])) }
        schema.set("additionalProperties", .bool(false))
        return .object(schema)
    }

    /// A submission with a plausible text for each field.
    public var sampleSubmission: JSONValue { (try? .parse(sample)) ?? .null }
}

extension Field {
    fileprivate func requestSchema(mayBeEmpty: Bool) -> JSONValue {
        var schema = JSONObject()
        schema.set("type", .string("string"))
        if !mayBeEmpty, flags.isRequired { schema.set("minLength", .number(JSONNumber(1))) }
        switch type {
        case .file:
            schema.set("contentEncoding", .string("base64"))
        default:
            // Of shaped text only letters and digits count, and a validator would count separators too.
            if let maxInputLength, case .unchanged = shape {
                schema.set("maxLength", .number(JSONNumber(maxInputLength)))
            }
        }
        if type == .cardNumber || type == .cvc || type == .ssn { schema.set("writeOnly", .bool(true)) }
        return .object(schema)
    }
}
