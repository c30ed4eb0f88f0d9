import FileTesting
import FormSchema
import Testing

@testable import Configuration
@testable import Gateway

/// `server.limits.patternMatch`: how much work one match may be.
@Suite struct PatternLimitTests {
    /// Before the second branch matches, the first one has tried some ten thousand ways.
    private static let form = """
        {"form": "f", "fields": [{"name": "x", "validationRules": [{"rule": "pattern", "pattern": ".*.*.*=|-*"}]}]}
        """
    private static let fields = "{\"x\": \"\(String(repeating: "-", count: 40))\"}"

    private func load(_ limits: String) throws -> LoadedConfiguration {
        let folder = try TemporaryFolder(["c.yaml": "server:\n  limits: \(limits)\n", "forms/f.json": Self.form])
        return Configuration.load(file: folder.path + "/c.yaml")
    }

    /// Whether a text fits the pattern of a form, named or brought along.
    private func isValid(_ form: String, _ configuration: Configuration?) -> Bool? {
        var evaluation = OfflineEvaluation(configuration: configuration, now: 0, reveals: false)
        let line = "{\"form\": \(form), \"fields\": \(Self.fields)}"
        let answer = String(decoding: evaluation.evaluate(.whole(Array(line.utf8))), as: UTF8.self)
        return answer.contains("isValid") ? !answer.contains("PATTERN_VALIDATION_ERROR") : nil
    }

    @Test(arguments: [("{}", true), ("{patternMatch: 1000}", false), ("{patternMatch: 1000000}", true)])
    func formsMatchWithinIt(_ limits: String, _ isValid: Bool) throws {
        let configuration = try #require(try load(limits).configuration)
        #expect(self.isValid("\"f\"", configuration) == isValid)
        #expect(self.isValid(Self.form, configuration) == isValid)
    }

    @Test func withoutAConfigurationItIsTheDefault() {
        #expect(isValid(Self.form, nil) == true)
    }

    @Test(arguments: ["999", "10000001", "-1", "1KiB", "many"])
    func itHasBounds(_ limit: String) throws {
        let mistakes = try load("{patternMatch: \(limit)}").mistakes
        #expect(mistakes.map(\.path) == ["server.limits.patternMatch"] && mistakes.first?.line == 2)
    }
}
