import Access
import Testing

@testable import Gateway

/// The catalogue of problems against what the gateway raises.
@Suite struct ProblemCatalogueTests {
    /// Every error but those that have no problem body of their own.
    private static let errors: [CallError] =
        [
            .malformed(""), .unauthorized, .forbidden(""), .notFound(""), .methodNotAllowed(allowed: ""),
            .bodyTooLarge(limit: 1, setting: nil),
            .unsupportedMediaType, .tooManyRequests(retryAfter: 1), .tooManyWrongSecrets(retryAfter: 1),
            .unknownFields([]), .formChanged, .unavailable, .outcomeUnknown,
            .damaged(alias: nil),
            .volatileStorageFull, .volatileShareUsed(retryAfter: 1), .tooManyGuesses(retryAfter: 1),
            .identityProviderUnavailable(retryAfter: 1), .refusedToken(.expired), .aliasSpaceExhausted(format: ""),
            .auditUnavailable, .credentialsBusy(retryAfter: 1), .bodiesBusy, .aliasShareUsed("", retryAfter: 1),
            .internalError,
            .circuitOpen(retryAfter: 1), .upstreamBusy, .responsesBusy, .invalidRouteID, .timedOut, .connectTimedOut,
            .cannotFindHost, .cannotConnectToHost,
            .networkConnectionLost, .secureConnectionFailed, .badServerResponse, .unexpectedResponseType,
            .unexpectedResponseDataFormat, .vaultResponseNotJSON, .vaultRefused(status: 500), .unknownAliases([]),
            .unreadableMediaType, .unguardedBody, .revealTooLarge(limit: 1), .aliasRequired(pointer: ""),
            .cardNumberRefused(places: []),
            .responseWithheld(upstreamStatus: 200, reason: .notJSON), .idempotencyKeyReused, .requestInProgress,
            .responseNotStored,
        ] + [400, 408, 413, 414, 417, 431, 500, 501, 503, 505].map { .http(status: $0, reason: "") }

    private static let problems =
        errors.map(Problem.init) + [
            .invalidInput(required: [], requiredValid: [], among: []), .fileNotFound(""), .fileTypeNotSupported(""),
            .fileTooLarge("", limit: 1, size: 1),
        ]

    @Test func everyProblemIsInTheCatalogue() {
        for problem in Self.problems {
            let row = ProblemCatalogue.rows.first { $0.type == problem.type && $0.status == problem.status }
            #expect(row?.code == problem.code && row?.domain == problem.domain, "\(problem.status) \(problem.type)")
        }
    }

    @Test func everyRowIsRaised() {
        for row in ProblemCatalogue.rows {
            #expect(
                Self.problems.contains { $0.type == row.type && $0.status == row.status }, "\(row.status) \(row.type)")
        }
    }
}
