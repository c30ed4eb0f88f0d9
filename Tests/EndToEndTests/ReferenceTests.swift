import ProcessTesting
import Testing

/// The pages that are made from the code, and the command lines that documents show.
@Suite(.waits) struct ReferenceTests {
    /// `make reference` writes them. Also: every name of the code has its line in `Tests/Reference/tables.py`.
    @Test func thePagesAreThoseOfThisBinary() throws {
        try expectSuccess("reference.py", "--check")
    }

    @Test func everyCurlLineOfTheDocumentsWorks() throws {
        try expectSuccess("snippets.py")
    }

    private func expectSuccess(_ script: String, _ arguments: String...) throws {
        let run = try Command(
            "/usr/bin/env",
            ["python3", "\(Place.project)/Tests/Reference/\(script)", "--binary", Place.binary] + arguments,
            in: Workspace())
        #expect(run.end == .exit(0), "\(run.output)\(run.errors)")
    }
}
