import Access
import FormSchema

/// Domain `vgscollect.sdk`: what a form refuses, and the credential that it asks for.
extension Problem {
    /// The first error of a submission, with the states of all fields.
    static func invalidSubmission(_ submission: InvalidSubmission) -> Problem {
        var problem = invalidSubmission(submission.reason, of: submission.fieldNames)
        problem.states = submission.states
        return problem
    }

    private static func invalidSubmission(_ reason: Evaluation.Refusal, of names: [String]) -> Problem {
        switch reason {
        case .invalidInput(let required, let requiredValid):
            invalidInput(required: required, requiredValid: requiredValid, among: names)
        case .file(let file):
            switch file.reason {
            case .notFound: fileNotFound(file.fieldName)
            case .typeNotSupported: fileTypeNotSupported(file.fieldName)
            case .tooLarge(let limit, let size): fileTooLarge(file.fieldName, limit: limit, size: size)
            }
        }
    }

    /// 1001. `names` are all of the form's fields, whose order the sentence keeps.
    static func invalidInput(required: [String], requiredValid: [String], among names: [String]) -> Problem {
        let invalid = Set(required).union(requiredValid)
        let inOrder = names.filter(invalid.contains)
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
    static let invalidAccessToken = {
        var problem = Problem(
            status: 401, type: "invalidAccessToken", title: "The access token is missing or not valid",
            detail: "this call needs a credential: HTTP Basic or a Bearer token", domain: .collect, code: 1300,
            key: "VGSSDKErrorInvalidAccessToken")
        // Basic is accepted too, but not offered (RFC 9110 section 11.6.1): browsers would open a dialog for it, and a page's `fetch`
        // would hang until it is closed.
        problem.headers = [("WWW-Authenticate", "Bearer realm=\"cloakroom\"")]
        return problem
    }()

    /// 1300 for a session or token that is known for what it is and does not allow the call
    /// (`docs/reference/access.md` section 2).
    static func refusedToken(_ refusal: AccessRefusal) -> Problem {
        guard let reason = refusal.reason else { return .invalidAccessToken }
        var problem = Problem(
            status: 401, type: "invalidAccessToken", title: "The access token is missing or not valid",
            detail: Self.detail(of: refusal), domain: .collect, code: 1300, key: "VGSSDKErrorInvalidAccessToken")
        problem.extraInfo = [("reason", .text(reason))]
        if case .badClaim(let claim) = refusal { problem.extraInfo.append(("claim", .text(claim.rawValue))) }
        // RFC 6750 section 3.1.
        problem.headers = [("WWW-Authenticate", "Bearer realm=\"cloakroom\", error=\"invalid_token\"")]
        return problem
    }

    private static func detail(of refusal: AccessRefusal) -> String {
        switch refusal {
        case .expired: "the session, token or credential has expired"
        case .usedUp: "the session has no requests left"
        case .wrongOrigin: "the session is for pages of another origin"
        case .wrongForm: "the session is for another form"
        case .wrongOperation:
            "the session is not for this operation or path, or the form takes no session for it (access)"
        case .notASession: "the session is not valid here, or has been ended"
        case .badClaim(let claim): "the token's claim \(claim.rawValue) must be \(claim.rule)"
        case .unauthenticated, .addressNotAllowed, .missingScope, .formNotAllowed, .noFormsNamed, .noOperation,
            .routeNotAllowed:
            "this call needs a credential: HTTP Basic or a Bearer token"
        }
    }
}
