public import FormSchema

extension Configuration {
    /// What forms allow, together with the rest of the configuration, that is probably not meant.
    ///
    /// - Parameter forms: with the files that they stand in.
    public func warnings(of forms: [(form: FormSchema, file: String)]) -> [Mistake] {
        forms.flatMap { form, file in
            [guessing(form), forwardedCredential(form), credentialOfTheRemoteVault(form)].compactMap { message in
                message.map { Mistake(file: file, line: nil, path: "access", message: $0) }
            }
        }
    }

    private func route(of form: FormSchema) -> Route? { routes.first { $0.name == form.route } }

    /// A caller that gets the alias of a value can try values until the alias is the one that it holds. In a sandbox there are no
    /// real values to find.
    private func guessing(_ form: FormSchema) -> String? {
        guard vault.environment == .live, vault.remote == nil, vault.reuse, form.makesLastingAliases else { return nil }
        let access = form.access
        let echo = route(of: form)?.kind == .echo ? access.send : .credential
        let open = [("aliases", access.aliases), ("tokens", access.tokens), ("send", echo)].filter { $0.1 == .public }
        guard !open.isEmpty else { return nil }
        return
            """
            a caller who has an alias can find its value by trying, because equal values get equal aliases: ask for a credential \
            (\(open.map(\.0).joined(separator: ", "))), or give vault.reuse: false
            """
    }

    private func forwardedCredential(_ form: FormSchema) -> String? {
        guard form.access.send == .credential, let route = route(of: form),
            route.forwardHeaders.contains("authorization")
        else { return nil }
        return "send asks for this gateway's credential, and the route \(route.name) passes it on to its upstream"
    }

    private func credentialOfTheRemoteVault(_ form: FormSchema) -> String? {
        guard let remote = vault.remote, remote.forwardAuthorization, form.makesAliases else { return nil }
        let kind = route(of: form)?.kind
        // A VGS route makes its aliases itself.
        let send = kind == .echo || kind == .upstream ? form.access.send : .public
        let asks = [("aliases", form.access.aliases), ("send", send)].filter { $0.1 == .credential }.map(\.0)
        guard !asks.isEmpty else { return nil }
        return
            """
            \(asks.joined(separator: " and ")) ask for this gateway's credential, which is sent on to the remote vault: make \
            it public, for the vault asks for one of its own, or give vault.remote.forwardAuthorization: false
            """
    }
}
