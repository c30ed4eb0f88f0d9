import AuditLog
import Vault

/// The audit log's failures as errors of a call: an action that cannot be recorded is not carried out.
extension AuditLog {
    /// The error of a call that is refused because it cannot be recorded; the log says later how many were.
    var refusal: CallError {
        noteRefusal()
        return .auditUnavailable
    }

    /// Room for the events of an action that is about to be carried out.
    func requireReservation(for count: Int = 1) throws(CallError) -> AuditReservation {
        do throws(AuditFailure) { return try reserve(count) } catch { throw refusal }
    }

    /// As ``requireReservation(for:)``, for a change or a deletion: refused as well while the log cannot be written, not only when its
    /// queue is full.
    func requireReservationForChange() throws(CallError) -> AuditReservation {
        if failure != nil { throw refusal }
        return try requireReservation()
    }

    /// Appends an event to the log's queue and does not wait for its sync: for refusals, and for sessions and access tokens that were made.
    /// Throws `auditUnavailable` if the queue is full.
    func requireRecord(of event: AuditEvent) throws(CallError) {
        do throws(AuditFailure) { try record(event) } catch { throw refusal }
    }

    /// Records that a caller without a credential was refused.
    func requireRecordOfStranger(_ event: AuditEvent) throws(CallError) {
        do throws(AuditFailure) { try recordStranger(event) } catch { throw refusal }
    }

    /// Returns once the event is synced to disk.
    func requireDurableRecord(of event: AuditEvent) async throws(CallError) {
        try await requireDurableRecords(of: [event])
    }

    /// Returns once all events are synced to disk, with one sync.
    func requireDurableRecords(of events: [AuditEvent]) async throws(CallError) {
        do throws(AuditFailure) { try await recordDurably(events) } catch { throw refusal }
    }
}

/// Failures as outcomes of events.
extension AuditEvent.Outcome {
    init(_ error: VaultError) {
        switch error {
        case .unknownAliases: self = .unknown
        case .damaged, .damagedFleeting: self = .damaged
        case .outOfReach: self = .forbidden
        case .outcomeUnknown: self = .uncertain
        default: self = .failed
        }
    }

    init(_ error: CallError) {
        self =
            switch error {
            case .outcomeUnknown: .uncertain
            case .remoteVault(_, let mayHaveStored): mayHaveStored ? .uncertain : .failed
            default: .failed
            }
    }
}
