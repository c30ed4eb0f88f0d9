import AuditLog
import Vault

extension AuditReservation {
    /// Erases a batch of values that have reached their end, and returns once that is recorded. Of a commit that leaves open whether
    /// they are gone no later pass could tell: it is recorded as such, without a number.
    consuming func recordExpiry(
        _ erase: () async throws(VaultError) -> Vault.Erased
    ) async throws(VaultError) -> Vault.Erased {
        let erased: Vault.Erased
        do throws(VaultError) { erased = try await erase() } catch {
            if case .outcomeUnknown = error { record(AuditEvent(.expire, .uncertain)) }
            throw error
        }
        if erased.values > 0 { try? await recordDurably([AuditEvent(.expire, count: erased.aliases)]) }
        return erased
    }
}
