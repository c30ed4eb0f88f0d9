/// What a client does with a form: the last part of `/v1/forms/{form}/…`.
public enum FormOperation: String, Sendable, CaseIterable {
    case validate, aliases, tokens, send

    /// The scope that a credential needs for it, unless everyone may do it (`docs/reference/fields.md` section 1).
    public var scope: Scope { self == .send ? .sendForms : .createAliases }

    /// Their names, always in the same order.
    public static func names(_ operations: Set<FormOperation>) -> [String] {
        allCases.filter { operations.contains($0) }.map(\.rawValue)
    }

    /// The operations of these names; nil if one is not known.
    static func set(_ names: [String]) -> Set<FormOperation>? {
        let operations = names.compactMap { FormOperation(rawValue: $0) }
        return operations.count == names.count ? Set(operations) : nil
    }
}

/// Who may do it: the form's `access` for the operation (`docs/reference/access.md` section 2).
public enum FormAccess: String, Sendable, CaseIterable {
    /// Everyone.
    case `public`
    /// A session for the form, or a credential.
    case session
    /// A credential, an access token of one, or a token of an identity provider.
    case credential
}
