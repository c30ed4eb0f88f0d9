import FormSchema

extension ConfigurationScope {
    /// Keys that every kind of route knows, and those that only some do.
    private static let keys = [
        "name", "kind", "url", "allowPlaintext", "tenantId", "environment", "region", "routeId", "methods",
        "forwardHeaders", "headers", "responseHeaders", "timeouts", "tls", "pool", "breaker", "paths",
        "reveal", "unknownAliases", "redact", "guard",
    ]

    private static func keys(of kind: RouteKind) -> Set<String> {
        switch kind {
        case .echo: Set(["name", "kind", "methods", "guard"]).union(ignoredKeys(of: kind))
        case .upstream: Set(keys).subtracting(tenantKeys).subtracting(revealKeys).union(ignoredKeys(of: kind))
        case .vgs: Set(keys).subtracting(revealKeys).subtracting(["url", "allowPlaintext"])
        case .reveal: Set(keys).subtracting(tenantKeys)
        }
    }

    /// Keys that mean nothing on this kind of route and are accepted with a warning: a route may be an echo only until its
    /// upstream exists, and a route id is checked everywhere (docs/reference/proxy.md section 4).
    private static func ignoredKeys(of kind: RouteKind) -> [String] {
        switch kind {
        case .echo: ["timeouts", "forwardHeaders", "headers", "responseHeaders", "routeId"]
        case .upstream: ["routeId"]
        case .vgs, .reveal: []
        }
    }

    private static let tenantKeys: Set<String> = ["tenantId", "environment", "region", "routeId"]
    private static let revealKeys: Set<String> = ["reveal", "unknownAliases", "redact"]

    /// The routes of the configuration, the built-in echo first if it is not among them.
    func routes(_ reader: DocumentReader?) -> [Route] {
        var names: Set<String> = []
        let routes = (reader?.list() ?? []).compactMap { route($0, names: &names) }
        return names.contains(Route.builtInEcho.name) ? routes : [.builtInEcho] + routes
    }

    private func route(_ reader: DocumentReader, names: inout Set<String>) -> Route? {
        guard let map = reader.map(keys: Self.keys) else { return nil }
        let name = map.required("name").flatMap { routeName($0, taken: &names) }
        guard let kind = map.required("kind")?.choice(RouteKind.self) else { return nil }
        if let name { noteRoute(name, kind) }
        for key in Self.keys where !Self.keys(of: kind).contains(key) {
            map[key]?.mistake("not allowed on a route of kind \(kind.rawValue)")
        }
        let target: Route.Target? =
            switch kind {
            case .echo: .echo
            case .upstream: base(map).map { .upstream($0) }
            case .vgs: tenant(map)
            case .reveal: revealTarget(map)
            }
        var route = Route(
            name: name ?? "", target: target ?? .echo, methods: kind == .echo ? Route.allMethods : ["POST"])
        if let methods = map["methods"].flatMap(methods) { route.methods = methods }
        if kind == .echo {
            // Ignored keys are read too, so that mistakes in them are found.
            var ignored = route
            readExchange(map, into: &ignored)
            route.panGuard = ignored.panGuard
        } else {
            readExchange(map, into: &route)
        }
        if kind == .echo || kind == .upstream, let id = map["routeId"] { _ = routeID(id, tenant: nil) }
        for key in Self.ignoredKeys(of: kind) { map[key]?.warning("ignored on a route of kind \(kind.rawValue)") }
        if case .reveal(_, let rules) = route.target, rules.body == .yes || rules.body == .require {
            noteShapeReveal(reader)
        }
        return name == nil || target == nil ? nil : route
    }

    private func readExchange(_ map: MapReader, into route: inout Route) {
        if let headers = map["forwardHeaders"] { route.forwardHeaders = forwardHeaders(headers) }
        if let pan = map["guard"]?.map(keys: ["pan"])?["pan"]?.choice(FormSchema.Guard.Action.self) {
            route.panGuard = pan
        }
        let isReveal = if case .reveal = route.target { true } else { false }
        let searchesResponses = isReveal || route.panGuard?.needsText == true
        if let headers = map["headers"] { route.headers = fixedHeaders(headers, searchesResponses: searchesResponses) }
        if let headers = map["responseHeaders"] { route.responseHeaders = responseHeaders(headers) }
        if let timeouts = map["timeouts"] { route.timeouts = self.timeouts(timeouts) }
        if let tls = map["tls"] { route.tls = self.tls(tls, for: "route \(route.name)") }
        if let pool = map["pool"] { route.pool = self.pool(pool) }
        if let breaker = map["breaker"] { route.breaker = self.breaker(breaker) }
        route.paths = map["paths"].map(paths)
    }

    private func routeName(_ reader: DocumentReader, taken: inout Set<String>) -> String? {
        guard let name = reader.text() else { return nil }
        let isName = name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_" || $0 == "-") }
        guard (1...64).contains(name.utf8.count), isName else {
            reader.mistake("must be 1 to 64 letters, digits, _ or -")
            return nil
        }
        if !taken.insert(name).inserted { reader.mistake("another route has this name") }
        return name
    }

    private func methods(_ reader: DocumentReader) -> [String]? {
        guard let list = reader.list() else { return nil }
        if list.isEmpty { reader.mistake("name at least one method") }
        var methods: Set<String> = []
        for element in list {
            guard let method = element.text() else { continue }
            guard Route.allMethods.contains(method) else {
                element.mistake("unknown method (allowed: \(Route.allMethods.joined(separator: ", ")))")
                continue
            }
            methods.insert(method)
        }
        return Route.allMethods.filter(methods.contains)
    }
}
