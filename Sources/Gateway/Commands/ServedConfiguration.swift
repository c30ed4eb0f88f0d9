public import Configuration

/// `cloakroom reload`: makes the process that serves a configuration read it again.
public enum ServedConfiguration {
    /// Returns when the process has taken or refused it. Throws if there is none, or if it does not respond.
    ///
    /// - Parameter configuration: what is in the files now; it may have mistakes, as long as it names the vault and the listener.
    public static func reload(_ configuration: Configuration) async throws(StartError) -> ReloadReport {
        guard let serving = try await VaultMaintenance.serving(configuration) else {
            throw StartError("no process serves this configuration")
        }
        guard let report = ReloadReport(try await serving.call(ReloadCall.path)) else {
            throw StartError("the process that serves the vault returned something else than a report")
        }
        return report
    }
}
