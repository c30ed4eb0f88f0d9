import ArgumentParser
import Gateway

extension ConfigurationOptions {
    /// Does work on the vault of the configuration, whether this process opens it or another one serves it. Says what went wrong, and exits
    /// with 1.
    func withVault(_ work: (VaultMaintenance) async throws -> Void) async throws {
        let configuration = try load()
        do {
            try await VaultMaintenance.use(configuration, work)
        } catch let code as ExitCode {
            throw code
        } catch {
            StandardError.print("cloakroom: \(error)")
            throw ExitCode(1)
        }
    }
}
