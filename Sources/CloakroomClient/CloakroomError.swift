import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Why a call failed. Holds names of fields and rules, never a value.
public struct CloakroomError: Error, Sendable {
    /// What kind of failure it was.
    public enum Kind: Sendable, Equatable {
        /// The gateway refused the call: ``problem`` says why.
        case problem
        /// There was no response: no connection, or it broke. The gateway may have acted.
        case network
        /// There was no response in time (`timeoutIntervalForRequest` of the client's `URLSession`). The gateway may have acted.
        case timeout
        /// The calling task was cancelled. The gateway may have acted.
        case cancelled
        /// Nothing was sent: a path has a segment `.` or `..`, a header or an idempotency key can't be sent as it is, or a value has no
        /// JSON.
        case malformedRequest
        /// What came back is not what the gateway's contract says; something else may stand in front of it.
        case unreadable
    }

    /// What kind of failure it was.
    public let kind: Kind
    /// HTTP status; nil without a response.
    public let status: Int?
    /// `X-Request-Id`: what to name when asking about this call.
    public let requestID: String?
    /// What the gateway said (RFC 9457).
    public let problem: Problem?
    /// Seconds after which another attempt may succeed.
    public let retryAfter: Int?

    init(kind: Kind) {
        self.kind = kind
        status = nil
        requestID = nil
        problem = nil
        retryAfter = nil
    }

    init(_ data: Data, _ response: HTTPURLResponse) {
        status = response.statusCode
        requestID = response.value(forHTTPHeaderField: "X-Request-Id")
        problem = try? JSONDecoder().decode(Problem.self, from: data)
        kind = problem == nil ? .unreadable : .problem
        retryAfter = response.value(forHTTPHeaderField: "Retry-After").flatMap { Int($0) }
    }
}

extension CloakroomError: CustomStringConvertible {
    public var description: String {
        guard let problem else { return status.map { "\(kind), status \($0)" } ?? "\(kind)" }
        return "\(problem.status) \(problem.error.type): \(problem.detail)"
    }
}

/// A problem body of the gateway, with the VGSError inside (`docs/reference/proxy.md` section 6).
public struct Problem: Sendable, Decodable {
    /// The VGSError.
    public struct VGSError: Sendable, Decodable {
        /// `vgscollect.sdk`, `NSURLErrorDomain` or `cloakroom`. The second is the gateway's exchange with an upstream, not this
        /// program's with the gateway.
        public let domain: String
        /// As 1001.
        public let code: Int
        /// As `inputDataIsNotValid`.
        public let type: String
        /// Its details.
        public let userInfo: UserInfo
    }

    /// Its details.
    public struct UserInfo: Sendable, Decodable {
        /// As `VGSSDKErrorInputDataIsNotValid`; nil where the code has none.
        public let key: String?
        /// For a developer; its wording may change.
        public let description: String
        /// By code: names of fields under `VGSSDKErrorInputDataRequired` and `VGSSDKErrorInputDataRequiredValid`, a `reason`, limits.
        public let extraInfo: [String: JSONValue]

        private enum CodingKeys: String, CodingKey {
            case key, extraInfo
            case description = "NSLocalizedDescription"
        }
    }

    /// As `urn:cloakroom:problem:inputDataIsNotValid`.
    public let type: String
    /// The same text for every problem of its type.
    public let title: String
    /// The HTTP status.
    public let status: Int
    /// One sentence for a developer.
    public let detail: String
    /// The response's `X-Request-Id`.
    public let requestId: String?
    /// The same failure as VGS Collect reports it.
    public let error: VGSError
    /// The states of all fields where the problem is about them, by name.
    public let fields: [String: FieldState]?
}
