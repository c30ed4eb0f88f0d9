import FileTesting
import Foundation
import Gateway
import Testing

@testable import Configuration

/// The defaults in `docs/reference/configuration.md` are the code's: a configuration that gives a key its default is the same as one
/// without the key, and one that gives it another value is not.
@Suite struct DocumentedDefaultTests {
    /// A line of the page's table.
    struct Line: CustomTestStringConvertible, Sendable {
        let key: String
        /// What the value may be.
        let type: String
        let value: String

        var testDescription: String { key }

        /// A key path for one element of each list.
        var path: String { key.replacingOccurrences(of: "[]", with: "[0]") }

        /// Another value than the default, where the page says enough to make one.
        var other: String? {
            // What they allow is not kept, and a master key that is not made must be there.
            if key.hasSuffix("allowPlaintext") || key == "vault.masterKey.generate" { return nil }
            if ["vault.store", "vault.environment"].contains(key) || type.hasPrefix("list of") { return nil }
            if type == "true or false" { return value == "true" ? "false" : "true" }
            let isQuantity = ["a whole number", "a time", "a size"].contains { type.hasPrefix($0) }
            if isQuantity, let number = Int(value.prefix { $0.isNumber }) {
                return String(number > 1 ? number - 1 : number + 1) + value.drop { $0.isNumber }
            }
            let choices = type.replacing("one of ", with: "").replacing(" or ", with: ", ").components(
                separatedBy: ", ")
            return choices.count > 1 ? choices.first { $0 != value } : nil
        }

        /// What else must be set for the key to be allowed.
        var surroundings: [String] {
            switch key {
            case "routes[].environment": ["routes=[{name: r, kind: vgs, tenantId: tntk2d7}]"]
            case _ where key.hasPrefix("routes[].redact"):
                ["routes=[{name: r, kind: reveal, url: 'https://r.example', redact: [{pointer: /a, format: UUID}]}]"]
            case _ where key.hasPrefix("routes[].tls"):
                ["routes=[{name: r, kind: reveal, url: 'https://r.example', tls: {serverName: r.example}}]"]
            case _ where key.hasPrefix("routes[]"): ["routes=[{name: r, kind: reveal, url: 'https://r.example'}]"]
            case _ where key.hasPrefix("vault.remote.tls"):
                ["vault.store=remote", "vault.remote={url: 'https://v.example', tls: {serverName: v.example}}"]
            case _ where key.hasPrefix("vault.remote"):
                ["vault.store=remote", "vault.remote={url: 'https://v.example'}"]
            case _ where key.hasPrefix("vault.volatile.redis"):
                ["vault.volatile.redis={url: 'rediss://r.example', tls: {serverName: r.example}}"]
            case _ where key.hasPrefix("vault.postgres"):
                [
                    "vault.store=postgres", "vault.postgres={url: 'postgresql://v.example/v'}",
                    "vault.masterKey={file: FOLDER/master.key}",
                ]
            case _ where key.hasPrefix("auth.jwt"):
                ["auth.jwt=[{issuer: 'https://i.example', audience: a, jwks: {url: 'https://i.example/keys'}}]"]
            default: []
            }
        }
    }

    static let lines: [Line] = {
        let project = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
        let page = try? String(contentsOf: project.appending(path: "docs/reference/configuration.md"), encoding: .utf8)
        return (page ?? "").split(separator: "\n").compactMap { line in
            let cells = line.replacing("\\|", with: "/").split(separator: "|").map {
                $0.trimmingCharacters(in: .whitespaces)
            }
            guard cells.count >= 4, cells[0].hasPrefix("`"), cells[2].hasPrefix("`") else { return nil }
            let (key, value) = (cells[0].trimmingCharacters(in: ["`"]), cells[2].trimmingCharacters(in: ["`"]))
            return Line(key: key, type: cells[1], value: value)
        }
    }()

    @Test func thePageHasDefaults() { #expect(Self.lines.count > 60) }

    @Test(arguments: lines)
    func givingItChangesNothing(_ line: Line) throws {
        let folder = try TemporaryFolder([
            "cloakroom.yaml": "", "master.key": "0123456789abcdef0123456789abcdef",
            "forms/note.yaml": "form: note\nfields: [{name: note}]\n",
        ])
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o600], ofItemAtPath: folder.path + "/master.key")
        func settings(_ further: [String]) throws -> String {
            let overrides = (line.surroundings + further).map { $0.replacing("FOLDER", with: folder.path) }
            let loaded = Configuration.load(
                file: folder.path + "/cloakroom.yaml", overrides: overrides.compactMap { Override($0) })
            let configuration = try #require(loaded.configuration, "\(loaded.mistakes)")
            var text = ""
            for part: Any in [
                configuration.server, configuration.admin, configuration.vault, configuration.audit, configuration.auth,
                configuration.servesElements, configuration.log, configuration.docs, configuration.formsFolder as Any,
                configuration.routes,
            ] { dump(part, to: &text) }
            return text
        }
        let without = try settings([])
        // A path of the command line is relative to the working directory, one of a file to the file.
        let value =
            switch line.key {
            case "forms": "FOLDER/forms"
            case "vault.sqlite.path", "vault.masterKey.file": "FOLDER/\(line.value)"
            default: line.value
            }
        #expect(try settings(["\(line.path)=\(value)"]) == without)
        guard let other = line.other else { return }
        #expect(try settings(["\(line.path)=\(other)"]) != without, "\(other)")
    }
}
