import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// How often a call is repeated that failed on the way or was refused for the moment (429, 503, 409 while the first request under
/// an idempotency key is under way).
public struct RetryPolicy: Sendable {
    /// Requests in all; at least one.
    public var attempts: Int
    /// Seconds before the second request, doubled before each further one. A longer `Retry-After` of the gateway holds.
    public var pause: Double
    /// Seconds that are waited at most before one request; a longer `Retry-After` ends the call.
    public var longestPause: Double

    /// - Parameters:
    ///   - attempts: requests in all; fewer than one counts as one.
    ///   - pause: seconds.
    ///   - longestPause: seconds.
    public init(attempts: Int, pause: Double = 0.2, longestPause: Double = 10) {
        self.attempts = max(1, attempts)
        self.pause = pause
        self.longestPause = longestPause
    }

    /// Three requests.
    public static let standard = RetryPolicy(attempts: 3)
    /// One request.
    public static let never = RetryPolicy(attempts: 1)
}

extension Cloakroom {
    /// Sends the request, and again where that is safe. `wasLost`: a request before may have been carried out, whose response did not come.
    func exchange(
        _ request: Request
    ) async throws(CloakroomError) -> (body: Data, HTTPURLResponse, wasLost: Bool) {
        let mayRepeat = request.isRepeatable || request.idempotencyKey != nil
        let message = try request.urlRequest(to: gateway, as: credential)
        var pause = retries.pause
        var attempt = 1
        var wasLost = false
        while true {
            let isLast = !mayRepeat || attempt >= retries.attempts
            do throws(CloakroomError) {
                let (data, response) = try await once(message)
                guard !isLast, let wait = Self.wait(response, request, pause), wait <= retries.longestPause else {
                    return (data, response, wasLost)
                }
                try await sleep(wait)
            } catch {
                guard !isLast, error.kind == .network || error.kind == .timeout else { throw error }
                wasLost = true
                try await sleep(min(pause, retries.longestPause))
            }
            pause *= 2
            attempt += 1
        }
    }

    private func once(_ message: URLRequest) async throws(CloakroomError) -> (Data, HTTPURLResponse) {
        do {
            let (data, response) = try await transport.response(to: message)
            guard let response = response as? HTTPURLResponse else { throw CloakroomError(kind: .unreadable) }
            return (data, response)
        } catch let error as CloakroomError {
            throw error
        } catch is CancellationError {
            throw CloakroomError(kind: .cancelled)
        } catch let error as URLError {
            switch error.code {
            case .cancelled: throw CloakroomError(kind: .cancelled)
            case .timedOut: throw CloakroomError(kind: .timeout)
            default: throw CloakroomError(kind: .network)
            }
        } catch {
            throw CloakroomError(kind: .network)
        }
    }

    /// Seconds to wait before another request; nil if this response is final.
    private static func wait(_ response: HTTPURLResponse, _ request: Request, _ pause: Double) -> Double? {
        guard !response.isUpstreams else { return nil }
        let isBusy: Bool
        switch response.statusCode {
        case 429, 503: isBusy = true
        // Without the header another kind of conflict is meant, which waiting does not end.
        case 409:
            isBusy = request.idempotencyKey != nil && response.value(forHTTPHeaderField: "Retry-After") != nil
        default: isBusy = false
        }
        guard isBusy else { return nil }
        let asked = response.value(forHTTPHeaderField: "Retry-After").flatMap(Double.init) ?? 0
        return max(pause, asked.isFinite ? asked : 0)
    }

    private func sleep(_ seconds: Double) async throws(CloakroomError) {
        do { try await Task.sleep(nanoseconds: UInt64(max(0, min(seconds, 3_600)) * 1e9)) } catch {
            throw CloakroomError(kind: .cancelled)
        }
    }
}
