/// Evaluates a file field (`docs/reference/fields.md` section 12); the checks run in the table's order and the first failure
/// decides.
struct FileEvaluation {
    let field: Field
    let limits: FileLimits

    func evaluate(_ submitted: String?) -> (FieldResult, FileRefusal?) {
        var result = FieldResult()
        result.isDirty = submitted != nil
        if !field.flags.isRequired, submitted?.isEmpty ?? true { return (result, nil) }
        guard let text = submitted else { return refuse(result, .notFound, ErrorText.fileNotFound) }
        result.isEmpty = text.isEmpty
        guard let bytes = Base64.decode(text) else { return refuse(result, .typeNotSupported, ErrorText.fileType) }
        result.inputLength = bytes.count
        guard !bytes.isEmpty else { return refuse(result, .typeNotSupported, ErrorText.fileType) }
        guard bytes.count < limits.maxBytes else {
            return refuse(result, .tooLarge(limit: limits.maxBytes, size: bytes.count), ErrorText.fileSize)
        }
        if let allowed = limits.contentTypes {
            guard let type = ContentType(of: bytes), allowed.contains(type) else {
                return refuse(result, .typeNotSupported, ErrorText.fileType)
            }
        }
        result.shaping.takeUnshaped(text)
        result.output = .text(text)
        return (result, nil)
    }

    private func refuse(
        _ result: FieldResult, _ reason: FileRefusal.Reason, _ error: String
    ) -> (FieldResult, FileRefusal?) {
        var result = result
        result.errors = [error]
        return (result, FileRefusal(fieldName: field.name, reason: reason))
    }
}

/// Why a file stops the request.
public struct FileRefusal: Sendable {
    /// What is wrong with a file (`docs/reference/fields.md` section 12).
    public enum Reason: Sendable {
        /// Required, and not given (1101).
        case notFound
        /// Not base64, empty, or of a type that is not allowed (1102).
        case typeNotSupported
        /// Of `limit` bytes or more (1103).
        case tooLarge(limit: Int, size: Int)
    }

    /// The field of the file.
    public let fieldName: String
    /// What is wrong with it.
    public let reason: Reason
}
