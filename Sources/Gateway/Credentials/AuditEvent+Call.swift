import Access
import AuditLog

extension AuditEvent {
    /// An event of a call, with its origin (PCI DSS 4.0, requirement 10.2.2).
    init(
        _ action: Action, _ outcome: Outcome = .done, of call: Call, by caller: Caller?, route: String? = nil,
        aliases: [String] = [], count: Int? = nil, erasure: String? = nil, places: [String] = []
    ) {
        self.init(
            action, outcome, requestID: call.id, credential: caller?.name, address: call.client.address.description,
            session: caller?.sessionID, issuer: caller?.issuer, route: route, aliases: aliases, count: count,
            erasure: erasure, places: places)
    }
}
