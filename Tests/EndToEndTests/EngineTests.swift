import ProcessTesting
import Testing

/// The rules for browsers give the gateway's own verdicts (`docs/reference/browser.md` section 5). `make agree` compares a million.
@Suite(.waits) struct EngineTests {
    private let workspace: Workspace

    init() throws { workspace = try Workspace() }

    /// Random forms and submissions through `cloakroom evaluate --describe` and through the engine in Node. Two seeds: one is always
    /// the same, so that a failure can be repeated, one never is.
    @Test func engineGivesTheGatewaysVerdicts() throws {
        for seed in [1, Int.random(in: 2...1_000_000_000)] {
            let run = try Command(
                "/usr/bin/env",
                [
                    "node", Place.project + "/Tests/Agreement/agree.mjs", "--binary", Place.binary, "--engine",
                    Place.project + "/.build/engine/engine.wasm", "--count", "2000", "--seed", "\(seed)",
                ], in: workspace)
            #expect(run.end == .exit(0), "seed \(seed): \(run.output)\(run.errors)")
            #expect(run.output.contains("; 0 differences"))
        }
    }

    /// Typing, memory and misuse, by a script of the engine's users.
    @Test func engineIsUsedAsItsPageDoes() throws {
        let run = try Command(
            "/usr/bin/env",
            [
                "node", Place.project + "/Tests/Agreement/use.mjs",
                Place.project + "/.build/engine/engine.wasm",
            ], in: workspace)
        #expect(run.end == .exit(0), "\(run.output)\(run.errors)")
    }
}
