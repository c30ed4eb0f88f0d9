/// The calls of a form that make aliases.
enum TokenizeOperation {
    /// `POST …/aliases`: through v2 of the vault's API.
    case aliases
    /// `POST …/tokens`: the same through v1.
    case tokens
    /// A send to a route that gets aliases in the place of values.
    case send
}
