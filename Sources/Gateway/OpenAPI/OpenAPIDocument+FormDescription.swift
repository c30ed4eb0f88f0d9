import JSON

/// The schema of what `GET /v1/forms/{form}` returns (`FormSchema.writeDescription`).
extension OpenAPIDocument {
    static let formDescription: JSONValue = [
        "type": "object", "required": ["form", "title", "timeZone", "fields", "schema"],
        "properties": [
            "form": text, "title": ["type": ["string", "null"]],
            "timeZone": described("Whose day and month expiry dates are judged by.", text),
            "fields": ["type": "array", "items": field, "description": "In the form's order."],
            "cardBrands": cardBrands,
            "schema": [
                "type": "object",
                "description":
                    "The form as the engine of hosted fields reads it. Its members are of that engine's release.",
            ],
        ],
    ]

    private static let text: JSONValue = ["type": "string"]
    private static let flag: JSONValue = ["type": "boolean"]
    private static let counts: JSONValue = ["type": "array", "items": ["type": "integer"]]
    private static let texts: JSONValue = ["type": "array", "items": text]

    private static func described(_ description: String, _ schema: JSONValue) -> JSONValue {
        var members = schema.object ?? JSONObject()
        members.set("description", .string(description))
        return .object(members)
    }

    /// Of fields, in descriptions and states.
    static let fieldType: JSONValue = [
        "type": "string", "enum": ["none", "cardNumber", "expDate", "date", "cvc", "cardHolderName", "ssn", "file"],
    ]

    private static let field: JSONValue = [
        "type": "object",
        "required": [
            "fieldName", "type", "isRequired", "isRequiredValidOnly", "isValidIfPresent", "inputMode", "autocomplete",
            "enterKeyHint", "isTokenized",
        ],
        "properties": [
            "fieldName": text, "type": fieldType, "isRequired": flag, "isRequiredValidOnly": flag,
            "isValidIfPresent": flag,
            "formatPattern": described(
                "`#` digit, `@` letter, `a` and `A` by case, `*` either; everything else stands for itself.", text),
            "divider": described("What stands between groups in the text that is passed on.", text),
            "mask": mask,
            "maxInputLength": described(
                "In grapheme clusters; with a pattern or mask only letters and digits count.", ["type": "integer"]),
            "inputDateFormat": described(
                "In which order its parts are typed, such as `shortYear` or `ddmmyyyy`.", text),
            "outputDateFormat": described("In which order they are passed on.", text),
            "inputMode": described("The HTML attribute of this name.", text),
            "autocomplete": described("The HTML attribute of this name.", text),
            "enterKeyHint": ["type": "string", "enum": ["next", "done"]], "isTokenized": flag,
            "file": [
                "type": "object", "required": ["maxBytes"],
                "properties": [
                    "maxBytes": described("A file must have fewer.", ["type": "integer"]),
                    "contentTypes": described("Those that are taken; without it any.", texts),
                ],
            ],
        ],
    ]

    private static let mask: JSONValue = [
        "type": "array",
        "description": "One entry for each place: a character that stands for itself, or what the place takes.",
        "items": [
            "oneOf": [
                text,
                [
                    "type": "object", "required": ["pattern"],
                    "properties": [
                        "pattern": described("A regular expression for one character.", text),
                        "case": ["type": "string", "enum": ["lower", "upper"]],
                    ],
                ],
            ]
        ],
    ]

    private static let cardBrands: JSONValue = [
        "type": "object", "required": ["catalogue", "brands"],
        "description": "Where the form has a card number.",
        "properties": [
            "catalogue": text,
            "brands": [
                "type": "array", "description": "In the order in which they are tried, the unknown one last.",
                "items": [
                    "type": "object",
                    "required": [
                        "cardBrand", "cardBrandName", "prefixes", "lengths", "cvcLengths", "formatPattern", "gaps",
                        "checksum",
                    ],
                    "properties": [
                        "cardBrand": text, "cardBrandName": text,
                        "prefixes": described("First digits, or ranges of them such as `51-55`.", texts),
                        "excludedPrefixes": described("Longer prefixes whose numbers do not belong to it.", texts),
                        "lengths": counts, "cvcLengths": counts, "formatPattern": text,
                        "gaps": described("After how many digits a separator stands.", counts), "checksum": text,
                    ],
                ],
            ],
        ],
    ]
}
