import Configuration
import HTTPWire

/// The methods that a path takes.
struct MethodSet: OptionSet {
    let rawValue: UInt8

    static let get = MethodSet(rawValue: 1)
    static let head = MethodSet(rawValue: 2)
    static let post = MethodSet(rawValue: 4)
    static let put = MethodSet(rawValue: 8)
    static let patch = MethodSet(rawValue: 16)
    static let delete = MethodSet(rawValue: 32)
    static let options = MethodSet(rawValue: 64)

    static let all: MethodSet = [.get, .head, .post, .put, .patch, .delete, .options]

    init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Those of a route, and `OPTIONS`.
    init(of route: Route) {
        self = route.methods.reduce(into: .options) { $0.formUnion(MethodSet(Method($1))) }
    }

    /// One method; empty for a method that no path takes.
    private init(_ method: Method) {
        self =
            switch method {
            case .get: .get
            case .head: .head
            case .post: .post
            case .put: .put
            case .patch: .patch
            case .delete: .delete
            case .options: .options
            case .connect, .trace, .other: []
            }
    }

    /// Whether a path with these methods takes this one.
    func takes(_ method: Method) -> Bool { !isDisjoint(with: MethodSet(method)) }

    /// As `Allow` names them (RFC 9110 section 10.2.1).
    var names: String {
        let all = [Method.get, .head, .post, .put, .patch, .delete, .options]
        return all.filter(takes).map(\.name).joined(separator: ", ")
    }
}
