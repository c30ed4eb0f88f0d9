import EventIO
import Testing

@Suite struct OpenFilesTests {
    /// Files stay free for the admin listener, the vault and logs, whatever the limit of the process.
    @Test(arguments: [
        (10_000, 1 << 20, 10_000), (10_000, 1_024, 620), (10_000, 256, 100), (100, 1_024, 100), (10_000, 64, 10),
        (10_000, 0, 10_000), (10_000, 20, 1),
    ])
    func fewFilesMeanFewClients(configured: Int, files: Int, clients: Int) {
        let limit = OpenFiles.clientLimit(configured: configured, files: files)
        #expect(limit == clients)
        // With those that are told that there are too many.
        if files > 64 { #expect(limit + limit / 10 + 16 <= files - min(files / 2, 64 + files / 4)) }
    }

    @Test func theLimitCanBeRaised() {
        #expect(OpenFiles.raiseLimit() >= 64)
        #expect(OpenFiles.limit == OpenFiles.raiseLimit())
    }
}
