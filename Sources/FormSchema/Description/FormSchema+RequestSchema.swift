public import JSON

/// The JSON Schema of a submission, for generated clients (`docs/reference/fields.md` section 2).
extension FormSchema {
    /// Names, and which of them are required. A rule is told only where it means the same to a validator of JSON Schema: Luhn, dates
    /// and patterns over shaped text have no equal there. Nor have lengths: `maxLength` counts code points (JSON Schema Validation
    /// section 6.3.1), so that a generated client would refuse text which the form takes. They are told in words.
    ///
    /// - Parameter requiresFields: whether required fields must be there; for `validate` their absence is a result.
    public func requestSchema(requiresFields: Bool) -> JSONValue {
        var properties = JSONObject()
        var required: [JSONValue] = []
        for field in fields {
            properties.set(field.name, field.requestSchema(in: self, mayBeEmpty: !requiresFields))
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
    fileprivate func requestSchema(in form: FormSchema, mayBeEmpty: Bool) -> JSONValue {
        var schema = JSONObject()
        schema.set("type", .string("string"))
        if !mayBeEmpty, flags.isRequired { schema.set("minLength", .number(JSONNumber(1))) }
        if type == .file {
            schema.set("contentEncoding", .string("base64"))
        } else if let maxInputLength {
            let counted =
                countsSeparators(form.cardBrands.unknown)
                ? "characters (grapheme clusters)." : "letters and digits; other characters do not count."
            schema.set("description", .string("At most \(maxInputLength) \(counted)"))
        }
        if type == .cardNumber || type == .cvc || type == .ssn { schema.set("writeOnly", .bool(true)) }
        return .object(schema)
    }
}
