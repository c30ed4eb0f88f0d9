import FormSchema

/// What a form refuses, and the secret it asks for: domain `vgscollect.sdk`.
extension Problem {
    /// 1001. `names` are all of the form's fields, whose order the sentence keeps.
    static func invalidInput(required: [String], requiredValid: [String], among names: [String]) -> Problem {
        let refused = Set(required).union(requiredValid)
        let inOrder = names.filter(refused.contains)
        let count = inOrder.count == 1 ? "1 field is" : "\(inOrder.count) fields are"
        var problem = Problem(
            status: 422, type: "inputDataIsNotValid", title: "Input data is not valid",
            detail: "\(count) not valid: \(inOrder.joined(separator: ", "))",
            domain: .collect, code: 1001, key: "VGSSDKErrorInputDataIsNotValid")
        if !required.isEmpty { problem.extraInfo.append(("VGSSDKErrorInputDataRequired", .names(required))) }
        if !requiredValid.isEmpty {
            problem.extraInfo.append(("VGSSDKErrorInputDataRequiredValid", .names(requiredValid)))
        }
        return problem
    }

    /// 1101.
    static func fileNotFound(_ field: String) -> Problem {
        Problem(
            status: 422, type: "inputFileNotFound", title: "A required file is missing",
            detail: "the file of field \(field) is missing", domain: .collect, code: 1101,
            key: "VGSSDKErrorFileNotFound")
    }

    /// 1102.
    static func fileTypeNotSupported(_ field: String) -> Problem {
        Problem(
            status: 422, type: "inputFileTypeIsNotSupported", title: "The type of a file is not supported",
            detail: "the file of field \(field) is not base64, is empty, or is not of an allowed type",
            domain: .collect, code: 1102, key: "VGSSDKErrorFileTypeNotSupported")
    }

    /// 1103. Sizes in bytes.
    static func fileTooLarge(_ field: String, limit: Int, size: Int) -> Problem {
        var problem = Problem(
            status: 413, type: "inputFileSizeExceedsTheLimit", title: "A file is too large",
            detail: "the file of field \(field) must have less than \(limit) bytes", domain: .collect, code: 1103,
            key: "VGSSDKErrorFileSizeExceedsTheLimit")
        problem.extraInfo = [
            ("expectedSize", .number(limit)), ("fileSize", .text(String(size))), ("sizeUnits", .text("bytes")),
        ]
        return problem
    }

    /// 1300.
    static func invalidAccessToken() -> Problem {
        var problem = Problem(
            status: 401, type: "invalidAccessToken", title: "The access token is missing or not valid",
            detail: "this call needs a credential: HTTP Basic or a Bearer token", domain: .collect, code: 1300,
            key: "VGSSDKErrorInvalidAccessToken")
        problem.headers = [RequestFault.challenge]
        return problem
    }

    /// The problem of an evaluation that refuses its submission.
    init(_ refusal: Evaluation.Refusal, of schema: FormSchema) {
        switch refusal {
        case .invalidInput(let required, let requiredValid):
            self = .invalidInput(
                required: required, requiredValid: requiredValid, among: schema.fieldNames)
        case .file(let file):
            switch file.reason {
            case .notFound: self = .fileNotFound(file.fieldName)
            case .typeNotSupported: self = .fileTypeNotSupported(file.fieldName)
            case .tooLarge(let limit, let size): self = .fileTooLarge(file.fieldName, limit: limit, size: size)
            }
        }
    }
}
