extension Endpoint {
    /// The methods that it takes; nil where its route says which, and where there is nothing.
    var methods: MethodSet? {
        switch self {
        case .formList, .form, .elements, .demo, .docs, .erasure: [.get, .head, .options]
        case .validate, .aliases, .tokens, .vaultDeletion, .vaultTokens: [.post, .options]
        case .vaultAliases: [.get, .head, .post, .options]
        // Also a path of its own, with POST.
        case .vaultAlias("delete"): [.get, .head, .post, .put, .delete, .options]
        case .vaultAlias: [.get, .head, .put, .delete, .options]
        case .openAPI: [.get, .head]
        case .sessions, .token: .post
        case .currentSession: .delete
        case .send, .revealRoute, .unknown: nil
        }
    }
}
