import Foundation
import JSON
import ProcessTesting
import Testing

/// The examples of `docs/forms.md`: a form, a submission, and the body that it becomes on 2026-11-21.
@Suite(.waits) struct DocumentationTests {
    private struct Example {
        let section: String
        let form: String
        let submission: String
        /// Nil where the text says that the submission is refused.
        let payload: String?

        var id: String { form.firstMatch(of: /form: ([A-Za-z0-9_-]+)/).map { String($0.output.1) } ?? "" }
    }

    private static func examples() throws -> [Example] {
        let text = try String(contentsOfFile: "\(Place.project)/docs/forms.md", encoding: .utf8)
        var blocks: [(section: String, language: String, text: String)] = []
        var section = ""
        var open: String?
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("```") {
                if open == nil { blocks.append((section, String(line.dropFirst(3)), "")) }
                open = open == nil ? String(line) : nil
            } else if open != nil {
                blocks[blocks.count - 1].text += line + "\n"
            } else if line.hasPrefix("## ") {
                section = String(line.dropFirst(3))
            }
        }
        var examples: [Example] = []
        for (index, block) in blocks.enumerated() where block.language == "yaml" {
            let json = blocks[(index + 1)...].prefix { $0.language == "json" }.map(\.text)
            guard let submission = json.first, json.count <= 2 else { throw Trouble("\(block.section): no submission") }
            examples.append(
                Example(
                    section: block.section, form: block.text, submission: submission,
                    payload: json.count == 2 ? json[1] : nil))
        }
        return examples
    }

    @Test func everyExampleBecomesWhatItIsShownToBecome() throws {
        let examples = try Self.examples()
        #expect(examples.count >= 12 && Set(examples.map(\.id)).count == examples.count)
        #expect(examples.filter { $0.payload == nil }.map(\.section) == ["Patterns and dividers"])
        let workspace = try Setting.workspace(
            forms: Dictionary(uniqueKeysWithValues: examples.map { ($0.id, $0.form) }))
        let configuration = workspace.path(of: "cloakroom.yaml")
        let lines = try examples.map { example in
            var line = try #require(JSONValue(text: example.submission).object)
            line.set("form", .string(example.id))
            return JSONValue.object(line).text
        }
        let run = try Command.cloakroom(
            ["evaluate", "--config", configuration, "--now", "2026-11-21T12:00:00Z", "--reveal"],
            input: lines.joined(separator: "\n"), in: workspace)
        #expect(run.end == .exit(0), "\(run.errors)")
        try #require(run.lines.count == examples.count)
        for (line, example) in zip(run.lines, examples) {
            let answer = try JSONValue(text: line)
            let name = Comment(rawValue: "\(example.section): \(answer.text)")
            if let payload = example.payload {
                #expect(try answer["payload"]?.text == JSONValue(text: payload).text, name)
                #expect(answer["error"] == nil, name)
            } else {
                #expect(answer["error", "error", "code"]?.text == "1001", name)
            }
        }
    }

    /// At an unknown key the loader lists those that it knows: each of them is in the page.
    @Test func everyKeyOfAFormIsExplained() throws {
        let fields = [
            #"{"name":"a","?":1,"tokenization":{"?":1},"validationRules":[{"rule":"?","?":1}]}"#,
            #"{"name":"b","type":"file","file":{"?":1}}"#,
            #"{"name":"c","mask":[{"pattern":"x","?":1}],"transform":{"?":1}}"#,
            #"{"name":"d","type":"expDate","inputDateFormat":"?","serializers":[{"expDate":{"?":1},"?":1}]}"#,
            #"{"name":"e","type":"date","inputDateFormat":"?","serializers":[{"date":{"?":1}}]}"#,
            #"{"name":"f","type":"?","tokenization":{"storage":"?"}}"#,
        ]
        let brands = #"{"catalogue":"?","custom":[{"?":1,"checksum":"?"}],"unknown":{"?":1},"?":1}"#
        let choices = #""fieldNameMappingPolicy":"?","access":{"?":1,"send":"?"},"guard":{"?":1,"pan":"?"}"#
        let all = fields.joined(separator: ",")
        let form = #"{"form":"f","?":1,\#(choices),"cardBrands":\#(brands),"fields":[\#(all)]}"#
        let run = try Command.cloakroom(["evaluate"], input: #"{"form":\#(form)}"#, in: Workspace())
        let problem = try JSONValue(text: run.output)["error", "error", "userInfo"]
        let mistakes = problem?["extraInfo", "mistakes"]?.array ?? []
        let lists = mistakes.compactMap { $0["message"]?.string?.firstMatch(of: /allowed: ([^)]*)/)?.output.1 }
        #expect(lists.count >= 22, "\(run.output)")
        let words = try Set(
            String(contentsOfFile: "\(Place.project)/docs/forms.md", encoding: .utf8).split {
                !$0.isLetter && !$0.isNumber
            })
        let keys = Set(lists.flatMap { $0.components(separatedBy: ", ") }).filter { $0.allSatisfy(\.isLetter) }
        #expect(keys.count > 60 && keys.filter { !words.contains(Substring($0)) } == [])
    }
}
