import FileTesting
import FormSchema
import Gateway
import Testing

@testable import Configuration

/// What a form allows together with the rest of the configuration.
@Suite struct FormWarningTests {
    private func warnings(_ configuration: String, _ form: String) throws -> [String] {
        let folder = try TemporaryFolder([
            "c.yaml": "forms: forms\n\(configuration)\n",
            "forms/a.yaml": "form: a\nfields: [{name: n, tokenization: {}}, {name: o}]\n\(form)\n",
        ])
        let loaded = Configuration.load(file: folder.path + "/c.yaml")
        #expect(loaded.mistakes.isEmpty, "\(loaded.mistakes)")
        return loaded.warnings.filter { $0.path == "access" && !$0.message.contains("not named") }.map(\.message)
    }

    @Test(arguments: [
        ("", "access: {tokens: public}", "tokens", true), ("", "access: {}", nil, false),
        ("", "access: {validate: public}\nroute: echo", nil, false),
        ("", "access: {tokens: session}", nil, false),
        ("", "access: {tokens: credential, send: public}\nroute: echo", "send", true),
        ("", "access: {tokens: credential, send: public}\nroute: up", "send", false),
        ("", "access: {tokens: session, send: session}\nroute: echo", nil, false),
        ("", "access: {tokens: public, aliases: public, send: public}\nroute: echo", "aliases, tokens, send", true),
        (", reuse: false", "access: {tokens: public}", "tokens", false),
    ])
    func operationsThatAreOpenInLive(settings: String, form: String, open: String?, canGuess: Bool) throws {
        let warnings = try warnings(
            """
            vault: {environment: live, masterKey: {generate: true}\(settings)}
            credentials: []
            routes: [{name: up, kind: upstream, url: "https://h.example"}]
            """, form)
        #expect(warnings.count == (open == nil ? 0 : 1))
        #expect(warnings.allSatisfy { $0.hasPrefix("anyone may call \(open ?? ""):") })
        #expect(warnings.allSatisfy { $0.contains("by trying") == canGuess })
    }

    /// In a sandbox there are no real values; a remote vault asks for a credential of its own.
    @Test(arguments: [
        "vault: {environment: sandbox}",
        "vault: {environment: live, masterKey: {generate: true}, store: remote, remote: {url: \"https://v.example\"}}\ncredentials: []",
    ])
    func operationsThatMayBeOpen(configuration: String) throws {
        #expect(try warnings(configuration, "access: {aliases: public}") == [])
    }

    @Test(arguments: [
        ("[Authorization]", "credential", true), ("[authorization]", "credential", true), ("[A]", "credential", false),
        ("[Authorization]", "public", false),
    ])
    func aCredentialThatGoesToTheUpstream(headers: String, access: String, isWarned: Bool) throws {
        let warnings = try warnings(
            "routes: [{name: r, kind: upstream, url: \"https://h.example\", forwardHeaders: \(headers)}]",
            "route: r\naccess: {send: \(access)}")
        #expect(warnings.map { $0.contains("the route r passes it on") } == (isWarned ? [true] : []))
    }

    @Test(arguments: [
        ("", "", "aliases ask"), ("", "access: {aliases: public}", nil), (", forwardAuthorization: false", "", nil),
        ("", "route: echo\naccess: {aliases: public, send: credential}", "send ask"),
        ("", "route: vgs\naccess: {aliases: public, send: credential}", nil),
    ])
    func aCredentialThatGoesToTheRemoteVault(settings: String, form: String, warning: String?) throws {
        let warnings = try warnings(
            "vault: {store: remote, remote: {url: \"https://v.example\"\(settings)}}\n"
                + "routes: [{name: vgs, kind: vgs, tenantId: t}]", form)
        #expect(warnings.count == (warning == nil ? 0 : 1))
        if let warning { #expect(warnings.first?.hasPrefix(warning) == true) }
    }

    /// No policy of frames can name an IPv6 address (W3C CSP3 section 2.3.1).
    @Test(arguments: [("", ["allowedOrigins[1]", "allowedOrigins[3]"]), ("elements: {enabled: false}", [])])
    func originsThatFramesCannotName(settings: String, paths: [String]) throws {
        let named = [
            "https://shop.example:65535", "http://[::1]:3000", "http://127.0.0.1:1", "https://[2001:db8::1]", "*",
        ]
        let origins = named.map { "\"\($0)\"" }.joined(separator: ", ")
        let folder = try TemporaryFolder([
            "c.yaml": "forms: forms\n\(settings)\n",
            "forms/a.yaml": "form: a\nallowedOrigins: [\(origins)]\nfields: [{name: n}]",
        ])
        let loaded = Configuration.load(file: folder.path + "/c.yaml")
        #expect(loaded.mistakes.isEmpty, "\(loaded.mistakes)")
        #expect(loaded.warnings.filter { $0.message.contains("embed hosted fields") }.map(\.path) == paths)
    }

    /// `docs/reference/browser.md` section 5: a backreference may take long in JavaScript.
    @Test(arguments: [("", true), ("elements: {enabled: false}", false)])
    func patternsThatBrowsersAreNotSent(settings: String, isWarned: Bool) throws {
        let folder = try TemporaryFolder([
            "c.yaml": "forms: forms\n\(settings)\n",
            "forms/a.yaml": """
            form: a
            fields:
              - {name: n, validationRules: [{rule: pattern, pattern: "a+"}, {rule: pattern, pattern: "(a)\\\\1"}]}
            """,
        ])
        let loaded = Configuration.load(file: folder.path + "/c.yaml")
        #expect(loaded.mistakes.isEmpty, "\(loaded.mistakes)")
        let warnings = loaded.warnings.filter { $0.message.contains("the gateway alone decides") }
        #expect(warnings.map(\.path) == (isWarned ? ["fields[0].validationRules[1].pattern"] : []))
        #expect(warnings.allSatisfy { $0.file == folder.path + "/forms/a.yaml" })
    }
}
