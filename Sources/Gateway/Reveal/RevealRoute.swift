import Configuration
import FormSchema

/// A reveal route with what can be worked out once. A class, so that passing it on retains one reference.
final class RevealRoute: Sendable {
    /// With the headers that may hold aliases among those that are passed on.
    let route: Route
    let methods: MethodSet
    let base: BaseURL
    let rules: RevealRules
    /// Where aliases are looked for in a body.
    let places: BodyPlaces
    let redaction: ResponseRedaction
    let panGuard: FormSchema.Guard.Action

    /// Nil for a route of another kind.
    init?(_ route: Route) {
        guard case .reveal(let base, let rules) = route.target else { return nil }
        var route = route
        route.forwardHeaders += rules.headers.filter { !route.forwardHeaders.contains($0) }
        self.route = route
        methods = MethodSet(of: route)
        self.base = base
        self.rules = rules
        places = BodyPlaces(rules)
        redaction = ResponseRedaction(rules: rules.redact.compactMap(ResponseRedaction.Rule.init))
        panGuard = route.panGuard ?? .report
    }
}
