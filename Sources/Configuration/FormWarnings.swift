public import FormSchema

extension Configuration {
    /// What forms allow, together with the rest of the configuration, that is probably not meant.
    ///
    /// - Parameter forms: with the files that they stand in.
    public func warnings(of forms: [(form: FormSchema, file: String)]) -> [Mistake] {
        forms.flatMap { form, file in
            let ofAccess = [openOperations(form), forwardedCredential(form), credentialOfTheRemoteVault(form)]
                .compactMap { $0 }.map { Mistake(file: file, line: nil, path: "access", message: $0) }
            return ofAccess + patternsOfTheServerAlone(form, file) + originsWithoutFrames(form, file)
        }
    }

    /// Origins whose pages may call the form, and can't embed its hosted fields: no policy of frames can name an IPv6 address (W3C CSP3
    /// section 2.3.1).
    private func originsWithoutFrames(_ form: FormSchema, _ file: String) -> [Mistake] {
        guard servesElements else { return [] }
        return form.allowedOrigins.enumerated().filter { $0.element.contains("[") }.map { index, _ in
            Mistake(
                file: file, line: nil, path: "allowedOrigins[\(index)]",
                message: "pages at an IPv6 address cannot embed hosted fields: give them a name, or an IPv4 address")
        }
    }

    /// Patterns that hosted fields cannot judge while one types (docs/reference/browser.md section 5).
    private func patternsOfTheServerAlone(_ form: FormSchema, _ file: String) -> [Mistake] {
        guard servesElements else { return [] }
        let message = """
            browsers are not sent this pattern, because it may mean something else in JavaScript or take too long there: the \
            gateway alone decides
            """
        return form.serverOnlyPatterns.map { Mistake(file: file, line: nil, path: $0, message: message) }
    }

    private func route(of form: FormSchema) -> Route? { routes.first { $0.name == form.route } }

    /// Operations that anyone may call although values are real (docs/reference/access.md section 2).
    private func openOperations(_ form: FormSchema) -> String? {
        guard vault.environment == .live else { return nil }
        let access = form.access
        // A remote vault that gets the caller's Authorization asks for a credential of its own.
        let isRemote = vault.remote?.forwardAuthorization == true
        var open: [String] = []
        if access.aliases == .public, !isRemote { open.append("aliases") }
        if access.tokens == .public, !isRemote { open.append("tokens") }
        if access.send == .public, let kind = route(of: form)?.kind, !isRemote || kind == .vgs { open.append("send") }
        guard !open.isEmpty else { return nil }
        let names = open.joined(separator: ", ")
        let warning = "anyone may call \(names): give session, and let your backend make sessions, or credential"
        guard makesGuessableAliases(form, through: open) else { return warning }
        return warning
            + "; a caller who has an alias can find its value by trying, because equal values get equal aliases (or give vault.reuse: false)"
    }

    /// Whether a caller of these operations gets the same alias for the same value, so that it can try values until the alias is
    /// the one that it holds.
    private func makesGuessableAliases(_ form: FormSchema, through operations: [String]) -> Bool {
        guard vault.remote == nil, vault.reuse, form.makesLastingAliases else { return false }
        return operations != ["send"] || route(of: form)?.kind == .echo
    }

    private func forwardedCredential(_ form: FormSchema) -> String? {
        guard form.access.send != .public, let route = route(of: form),
            route.forwardHeaders.contains("authorization")
        else { return nil }
        return "send asks for this gateway's credential, and the route \(route.name) passes it on to its upstream"
    }

    private func credentialOfTheRemoteVault(_ form: FormSchema) -> String? {
        guard let remote = vault.remote, remote.forwardAuthorization, form.makesAliases else { return nil }
        let kind = route(of: form)?.kind
        // A VGS route makes its aliases itself.
        let send = kind == .echo || kind == .upstream ? form.access.send : .public
        let asks = [("aliases", form.access.aliases), ("send", send)].filter { $0.1 != .public }.map(\.0)
        guard !asks.isEmpty else { return nil }
        return
            """
            \(asks.joined(separator: " and ")) ask for this gateway's credential, which is sent on to the remote vault: make \
            it public, for the vault asks for one of its own, or give vault.remote.forwardAuthorization: false
            """
    }
}
