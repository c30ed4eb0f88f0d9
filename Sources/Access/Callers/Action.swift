/// What a request is about to do, for ``Caller/authorize(_:origin:at:)``.
public enum Action: Sendable {
    /// An operation of a form. `path` is the upstream path of a `send`, with its leading slash and without the query.
    case form(String, FormOperation, access: FormAccess, path: String?)
    /// A send through a reveal route.
    case route(String)
    /// Something that needs a scope alone: calls of the vault plane, `POST /v1/sessions`, the operations listener.
    case scope(Scope)
}
