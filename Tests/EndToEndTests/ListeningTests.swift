import Testing

/// Who cannot listen says where.
@Suite struct ListeningTests {
    /// - Parameter free: how many addresses come before the one that is taken.
    @Test(arguments: [("server.listen", 0), ("server.listen", 2), ("admin.listen", 0)])
    func anAddressThatIsTakenIsNamed(_ setting: String, free: Int) throws {
        let holder = try Upstream { _, _ in }
        let taken = "127.0.0.1:\(holder.port)"
        let addresses = try (0..<free).map { _ in "127.0.0.1:\(try Upstream.deserted())" } + [taken]
        let workspace = try Setting.workspace()
        let value = setting == "admin.listen" ? taken : "[\(addresses.map { "\"\($0)\"" }.joined(separator: ", "))]"
        let run = try Command.cloakroom(
            ["serve", "--config", workspace.path(of: "cloakroom.yaml"), "--set", "\(setting)=\(value)"], in: workspace)
        #expect(run.end == .exit(1) && run.output.isEmpty)
        #expect(
            run.errors.contains("cannot listen on \(taken) (\(setting)): bind: Address already in use"), "\(run.errors)"
        )
    }

    @Test func bothListenersCannotHaveOneAddress() throws {
        let address = "127.0.0.1:\(try Upstream.deserted())"
        let workspace = try Setting.workspace()
        let run = try Command.cloakroom(
            [
                "serve", "--config", workspace.path(of: "cloakroom.yaml"), "--set", "admin.listen=\(address)",
                "--set", "server.listen=[\"127.0.0.1:0\", \"\(address)\"]",
            ], in: workspace)
        #expect(run.end == .exit(1) && run.errors.contains("admin.listen: \(address) is one of server.listen"))
    }
}
