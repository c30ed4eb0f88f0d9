import FileTesting
import FormSchema
import Gateway
import Glibc
import Testing

@testable import Configuration

/// What is wrong in a folder of forms, file by file, with the line that an author looks for.
@Suite struct FormFolderTests {
    private let context = FormContext.standalone(.gateway)

    /// Messages without the folder's own name.
    private func said(_ mistakes: [Mistake], in folder: TemporaryFolder) -> [String] {
        mistakes.map { $0.description.replacing(folder.path + "/", with: "") }
    }

    /// Where the route has no guard, the form's is that of responses; a compressed one could not be searched
    /// (docs/reference/proxy.md section 10).
    @Test(
        arguments: [
            ("mask", "headers: {Accept-Encoding: gzip}", true),
            ("refuse", "headers: {accept-encoding: \"gzip, br\"}", true),
            ("report", "headers: {Accept-Encoding: gzip}", false), ("off", "headers: {Accept-Encoding: gzip}", false),
            ("mask", "headers: {Accept-Encoding: Identity}", false),
            ("mask", "forwardHeaders: [Accept-Encoding]", false),
            ("mask", "guard: {pan: report}, headers: {Accept-Encoding: gzip}", false),
            ("mask", "guard: {pan: off}, headers: {Accept-Encoding: gzip}", false),
        ], ["kind: upstream, url: \"https://h.example\"", "kind: vgs, tenantId: t"])
    func compressedResponsesAreNotSearched(row: (String, String, Bool), kind: String) throws {
        let (action, headers, isMistake) = row
        let folder = try TemporaryFolder([
            "c.yaml": "forms: forms\nroutes: [{name: up, \(kind), \(headers)}]\n",
            "forms/a.yaml": "form: a\nroute: up\nguard:\n  pan: \(action)\nfields: [{name: n}]\n",
            "forms/b.yaml": "form: b\nguard: {pan: \(action)}\nfields: [{name: n}]\n",
        ])
        let loaded = Configuration.load(file: folder.path + "/c.yaml")
        let said = said(loaded.mistakes, in: folder)
        #expect(said.count == (isMistake ? 1 : 0), "\(said)")
        #expect(said.allSatisfy { $0.hasPrefix("forms/a.yaml:4: guard.pan: the headers of the route up") })
    }

    /// The API of a remote vault has no end of a value: one that is written down and not kept is worse than a mistake.
    @Test(arguments: [true, false])
    func aRemoteVaultEndsNoValue(isRemote: Bool) throws {
        let vault = isRemote ? "{store: remote, remote: {url: \"https://v.example\"}}" : "{}"
        let folder = try TemporaryFolder([
            "c.yaml": "forms: forms\nvault: \(vault)\n",
            "forms/a.yaml": "form: a\nfields:\n  - name: n\n    tokenization: {ttl: 30d}\n",
        ])
        let said = said(Configuration.load(file: folder.path + "/c.yaml").mistakes, in: folder)
        let mistake = "forms/a.yaml:4: fields[0].tokenization.ttl: a remote vault is not told when a value ends"
        #expect(said == (isRemote ? [mistake] : []))
    }

    private func mistakes(_ text: String, name: String = "f.yaml") throws -> [String] {
        let folder = try TemporaryFolder([name: text])
        let read = FormFolder(folder.path, context: context)
        #expect(read.forms.isEmpty == !read.mistakes.isEmpty)
        return said(read.mistakes, in: folder)
    }

    @Test(
        arguments: [
            (
                """
                form: f
                tittle: x
                fields:
                  - name: a
                    isRequired: true
                    isRequired: false
                  - {name: b, type: x}
                """,
                [
                    "f.yaml:2: tittle: unknown key (title?)", "f.yaml:6: fields[0].isRequired: given twice",
                    "f.yaml:7: fields[1].type: unknown value \"x\" "
                        + "(allowed: none, cardNumber, expDate, date, cvc, cardHolderName, ssn, file)",
                ]
            ),
            ("form: f\nfields:\n  - {name: a}\nform: g\n", ["f.yaml:4: form: given twice"]),
            (
                "form: f\nfields:\n  - type: ssn\n    name: a\n  - type: ssn\n\n    name: a\n",
                ["f.yaml:7: fields[1].name: another field has this name"]
            ),
            (
                "form: f\nfields:\n  - name: a\n  - isRequired: true\n    name: a.b\n",
                ["f.yaml:5: fields[1].name: \"a.b\" and \"a\" cannot stand in one body"]
            ),
            (
                """
                form: f
                fields:
                  - name: a
                  - name: e
                    type: expDate
                    serializers:
                      - expDate:
                          month: m
                          year: a.y
                """,
                [
                    "f.yaml:9: fields[1].serializers[0].expDate.year: \"a.y\" and \"a\" cannot stand in one body"
                ]
            ),
            (
                "form: f\nfields:\n  - name: a\n    mask: ###-##\n",
                [
                    "f.yaml:4: fields[0].mask: expected text or a list, found nothing; "
                        + "text that begins with # must be in quotes"
                ]
            ),
            (
                "form: f\nfields:\n  - &a {name: a}\n  - <<: *a\n    name: b\n",
                ["f.yaml:4: fields[1].<<: merge keys are not supported"]
            ),
        ] as [(String, [String])])
    func mistakesHaveTheirPlace(_ text: String, _ expected: [String]) throws {
        #expect(Set(try mistakes(text)) == Set(expected))
    }

    /// With a name that is given twice, and without.
    @Test(
        arguments: [
            (
                """
                {"form": "f", "tittle": "x",
                "fields": [{"name": "a", "isRequired": true,
                "isRequired": false, "mask": null}], "form": "g"}
                """,
                [
                    "f.json:3: fields[0].isRequired: given twice", "f.json:3: form: given twice",
                    "f.json:1: tittle: unknown key (title?)",
                    "f.json:3: fields[0].mask: expected text or a list, found nothing",
                ]
            ),
            (
                "{\"form\": \"f\", \"x\": {\"\\u0061\": 1, \"a\": \"\\/\"}, \"fields\": [{\"name\": \"a\"}]}",
                [
                    "f.json:1: x.a: given twice",
                    "f.json:1: x: unknown key (allowed: form, title, timeZone, "
                        + "fieldNameMappingPolicy, route, access, allowedOrigins, allowedHeaders, clientRules, guard, lenientInput, "
                        + "omitEmptyFields, cardBrands, fields)",
                ]
            ),
            (
                """
                {"form": "f",
                 "\\u0074itle":
                   1,
                 "fields": [{"name": "\\u0061",
                    "type": "x", "mask": null}, [],
                  null, {"name": "b",
                    "divider": true}
                ]}
                """,
                [
                    "f.json:2: title: expected text, found a number; put it in quotes",
                    "f.json:5: fields[0].type: unknown value \"x\" "
                        + "(allowed: none, cardNumber, expDate, date, cvc, cardHolderName, ssn, file)",
                    "f.json:5: fields[0].mask: expected text or a list, found nothing",
                    "f.json:5: fields[1]: expected a map, found a list",
                    "f.json:6: fields[2]: expected a map, found nothing",
                    "f.json:7: fields[3].divider: expected text, found true or false; put it in quotes",
                ]
            ),
            ("{\"form\": \"f\", \"form\": \"\\uD83D\\uDE00\"}", ["f.json:1: column 15: member name given twice"]),
            ("{\"form\": \"f\",}", ["f.json:1: column 14: expected a member name in double quotes"]),
        ] as [(String, [String])])
    func mistakesInJSON(_ text: String, _ expected: [String]) throws {
        #expect(Set(try mistakes(text, name: "f.json")) == Set(expected))
    }

    @Test func aDoubledFormIsReportedWithAllElse() throws {
        let folder = try TemporaryFolder([
            "a.yaml": "form: f\nfields: [{name: x}]\n",
            "b.yaml": "title: b\nform: f\nfields: [{nam: x}]\n",
            "c.yaml": "form: g\nfields: [{nam: x}]\n",
            "d.json": "{\"form\": \"g\", \"fields\": [{\"name\": \"x\"}]}",
        ])
        let read = FormFolder(folder.path, context: context)
        let said = said(read.mistakes, in: folder)
        #expect(
            said.filter { $0.contains("already") } == [
                "b.yaml:2: form: f is defined in a.yaml already", "d.json:1: form: g is defined in c.yaml already",
            ])
        #expect(said.count == 6 && read.forms.map(\.form.form) == ["f"])
    }

    /// What some editors begin a file with is no part of it.
    @Test(arguments: ["f.yaml", "f.json"])
    func aByteOrderMarkIsSkipped(_ name: String) throws {
        let form = "{\"form\": \"f\", \"fields\": [{\"name\": \"x\"}]}"
        #expect(try mistakes("\u{FEFF}" + form, name: name).isEmpty)
        let folder = try TemporaryFolder(["c.yaml": "\u{FEFF}vault: {reuse: false}\n"])
        #expect(Configuration.load(file: folder.path + "/c.yaml").configuration?.vault.reuse == false)
    }

    @Test func whatIsNoFileIsNotRead() throws {
        let folder = try TemporaryFolder(["a.yaml": "form: a\nfields: [{name: x}]\n", "c.yaml/.keep": ""])
        #expect(mkfifo(folder.path + "/b.yaml", 0o600) == 0)
        #expect(symlink("/dev/zero", folder.path + "/d.json") == 0)
        #expect(symlink("a.yaml", folder.path + "/e.txt") == 0)
        let read = FormFolder(folder.path, context: context)
        #expect(
            said(read.mistakes, in: folder) == [
                "b.yaml: is not a regular file", "c.yaml: is a folder, not a file",
                "d.json: is not a regular file",
            ])
        #expect(read.forms.map(\.form.form) == ["a"])
    }

    @Test(arguments: [
        ("--", true), ("[-, /]", true), ("\"##/##\"", false), ("[{pattern: \"[0-9]\"}, -]", false), ("c", false),
        ("C-C", false),
    ])
    func aMaskHasASlot(mask: String, isMistake: Bool) throws {
        let messages = try mistakes("form: f\nfields: [{name: n, mask: \(mask)}]\n")
        #expect(messages.contains { $0.contains("fields[0].mask: has no slot") } == isMistake, "\(messages)")
        #expect(messages.isEmpty != isMistake)
    }

    @Test func filesThatAreNotReadAreNamed() throws {
        let form = "form: f\nfields: [{name: x}]\n"
        let folder = try TemporaryFolder(["f.YAML": form, "g.Json": form, ".f.yaml": form, "notes.txt": form])
        let read = FormFolder(folder.path, context: context)
        #expect(read.forms.isEmpty && read.mistakes.isEmpty)
        #expect(
            said(read.warnings, in: folder) == [
                "f.YAML: not read: the names of form files end in .yaml, .yml or .json",
                "g.Json: not read: the names of form files end in .yaml, .yml or .json",
                "\(folder.path): there is no form file in this folder",
            ])
    }
}
