import Access
import Configuration
import EventHTTP
import EventIO
import HTTPWire
import Logging
import Synchronization

/// A number of places, each for one request that waits.
private final class WaitingPlaces: Sendable {
    private let taken = Atomic(0)
    private let limit: Int

    init(_ limit: Int) { self.limit = limit }

    /// False if none is free.
    func take() -> Bool {
        if taken.add(1, ordering: .relaxed).newValue <= limit { return true }
        giveBack()
        return false
    }

    func giveBack() { taken.subtract(1, ordering: .relaxed) }
}

/// The keys behind a URL. ``KeyCache`` decides when they are fetched; requests that need the same fetch wait for it together.
final class FetchedKeys: Sendable {
    private struct State {
        var cache = KeyCache()
        var fetch: Task<Void, Never>?
    }

    private let state = Mutex(State())
    /// For requests that wait for a fetch; beyond them they are told to come again. Anyone may send tokens with invented key ids while a
    /// provider does not respond: they must not take the places of those whose key is known.
    private let places = WaitingPlaces(256)
    private let placesOfKnownKeys = WaitingPlaces(4_096)
    let url: BaseURL
    let query: String?
    private let client: Client
    private let origin: Origin
    private let path: String
    private let issuer: String
    private let telemetry: Telemetry
    private let timeouts: ClientTimeouts

    init(
        _ url: BaseURL, query: String?, of issuer: String, client: Client, telemetry: Telemetry,
        timeouts: ClientTimeouts
    ) throws(IOError) {
        self.url = url
        self.query = query
        self.timeouts = timeouts
        let tls = url.isSecure ? try TLSClientContext() : nil
        origin = Origin(host: url.host, port: url.port, tls: tls, owner: "auth.jwt")
        path = url.path + (query.map { "?\($0)" } ?? "")
        self.issuer = issuer
        self.client = client
        self.telemetry = telemetry
    }

    /// Nil if the provider has no such key. Throws `identityProviderUnavailable`.
    func keys(for keyID: String?) async throws(CallError) -> JSONWebKeySet? {
        // At most three rounds: waiting for a running fetch, one fetch of its own, and reading its result.
        for _ in 0..<3 {
            let (decision, fetch) = decide(keyID)
            switch decision {
            case .use(let keys, refresh: _): return keys
            case .unknownKey: return nil
            case .unavailable(let wait): throw .identityProviderUnavailable(retryAfter: wait)
            case .fetch(let isKnown), .wait(let isKnown):
                try await wait(for: fetch, isKnown ? placesOfKnownKeys : places)
            }
        }
        return nil
    }

    /// Waits for a fetch with others. The loop's other requests do not wait for it.
    private func wait(for fetch: Task<Void, Never>?, _ places: WaitingPlaces) async throws(CallError) {
        guard places.take() else { throw .identityProviderUnavailable(retryAfter: 1) }
        let loop = EventLoop.current
        loop?.waitingElsewhere += 1
        await fetch?.value
        loop?.waitingElsewhere -= 1
        places.giveBack()
    }

    private func decide(_ keyID: String?) -> (KeyCache.Decision, Task<Void, Never>?) {
        state.withLock { state in
            let decision = state.cache.decide(keyID: keyID, at: Self.now)
            switch decision {
            case .fetch, .use(_, refresh: true):
                // On the loop of the request that needs the keys: the global executor's threads may all be busy.
                state.fetch = Task(executorPreference: EventLoop.current) { await self.fetch() }
            default: break
            }
            return (decision, state.fetch)
        }
    }

    private func fetch() async {
        var keys: JSONWebKeySet?
        do {
            let response = try await client.send(
                ClientRequest(method: .get, target: path, headers: [("Accept", "application/json")]), to: origin,
                timeouts: timeouts, buffering: .held(upTo: JSONWebKeySet.maximumSize))
            if let rest = response.incoming {
                rest.abandon()
                telemetry.logger.warning(
                    "the keys of an identity provider are not taken: they are too large",
                    metadata: ["issuer": "\(issuer)"])
            } else if response.status == 200 {
                keys = try usableKeys(response.body)
            } else {
                telemetry.logger.warning(
                    "the keys of an identity provider were not returned",
                    metadata: ["issuer": "\(issuer)", "status": "\(response.status)"])
            }
        } catch {
            telemetry.logger.warning(
                "the keys of an identity provider cannot be fetched",
                metadata: ["issuer": "\(issuer)", "reason": "\(error)"])
        }
        let fetched = keys
        state.withLock { $0.cache.finished(fetched, at: Self.now) }
    }

    /// The keys of a document. One without any that can be used is the provider's word as well: all that were taken are withdrawn.
    private func usableKeys(_ document: [UInt8]) throws(JSONWebKeySet.Mistake) -> JSONWebKeySet {
        do { return try JSONWebKeySet(document: document) } catch .noUsableKey {
            telemetry.logger.warning(
                "an identity provider has no key that can be used",
                metadata: ["issuer": "\(issuer)", "reason": "\(JSONWebKeySet.Mistake.noUsableKey)"])
            return .empty
        }
    }

    /// Monotonic milliseconds.
    private static var now: Int64 { SystemClock.monotonicMilliseconds }
}
