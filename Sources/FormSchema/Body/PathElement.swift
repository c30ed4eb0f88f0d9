/// One step of a path into a body.
enum PathElement: Sendable {
    case key(String)
    case index(Int)
}
