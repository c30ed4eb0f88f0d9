import JSON
import Synchronization

/// `POST /reload` on the admin listener: how `cloakroom reload` reaches the process.
final class ReloadCall: Sendable {
    static let path = "/reload"
    /// The command that asks for it.
    static let command = "cloakroom reload"

    private let reload = Mutex<(@Sendable (_ person: String) async -> ReloadReport)?>(nil)

    /// What a call does, for the person who makes it. Until it is set, calls are refused.
    func setAction(_ action: @escaping @Sendable (_ person: String) async -> ReloadReport) {
        reload.withLock { $0 = action }
    }

    /// Returns the response's body. The caller has proved that it has the master key.
    func respond(to requestBody: [UInt8]) async throws(CallError) -> [UInt8] {
        guard let action = reload.withLock({ $0 }) else { throw .http(status: 503, reason: "the process is starting") }
        let person = (try? JSONValue.parse(requestBody))?.object?["by"]?.string
        let report = await action(person ?? "operator")
        var json = JSONWriter(capacity: 256)
        report.write(into: &json, namesMistakes: true)
        return json.bytes
    }
}
