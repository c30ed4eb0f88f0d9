import FormSchema

extension ConfigurationScope {
    /// `url` with `allowPlaintext`.
    ///
    /// - Parameter allowsLoopback: whether http needs no permission where it does not leave the machine.
    func base(_ map: MapReader, allowsLoopback: Bool = false) -> BaseURL? {
        let allowPlaintext = map["allowPlaintext"]?.bool() ?? false
        return map.required("url").flatMap {
            baseURL($0, allowsPlaintext: allowPlaintext, allowsLoopback: allowsLoopback)
        }
    }

    /// A URL with a host and a path.
    ///
    /// - Parameters:
    ///   - allowsPlaintext: whether http is accepted.
    ///   - allowsLoopback: whether http is accepted where it does not leave the machine.
    ///   - takesQuery: whether a query behind it is passed over.
    ///   - remedy: what may be done about http besides.
    func baseURL(
        _ reader: DocumentReader, allowsPlaintext: Bool, allowsLoopback: Bool, takesQuery: Bool = false,
        remedy: String = ", or allow it with allowPlaintext: true"
    ) -> BaseURL? {
        guard let text = reader.text() else { return nil }
        do {
            let base = try BaseURL(takesQuery ? String(text.prefix { $0 != "?" }) : text)
            guard base.isSecure || allowsPlaintext || allowsLoopback && base.isLoopback else {
                reader.mistake("http is in the clear: use https\(remedy)")
                return nil
            }
            return base
        } catch {
            reader.mistake("the URL \(error.rawValue)")
            return nil
        }
    }

    /// A VGS tenant (docs/reference/proxy.md section 4).
    func tenant(_ map: MapReader) -> Route.Target? {
        let id = map.required("tenantId").flatMap(tenantID)
        let environment = self.environment(map)
        let fixed = map["routeId"].flatMap { routeID($0, tenant: id) }
        guard let id, let environment else { return nil }
        return .vgs(Tenant(id: id, environment: environment), routeID: fixed)
    }

    private func tenantID(_ reader: DocumentReader) -> String? {
        guard let id = reader.text() else { return nil }
        if Tenant.isValidID(id) { return id }
        reader.mistake("must be 1 to 63 ASCII letters and digits")
        return nil
    }

    private func environment(_ map: MapReader) -> String? {
        var environment: String? = "sandbox"
        if let reader = map["environment"] {
            environment = reader.text()
            if let text = environment, !Tenant.isValidEnvironment(text) {
                reader.mistake("must be sandbox or live, with a region after a hyphen at most (live-eu-1)")
                environment = nil
            }
        }
        guard let reader = map["region"] else { return environment }
        guard let region = reader.text() else { return nil }
        guard Tenant.isValidRegion(region) else {
            reader.mistake("must be groups of ASCII letters and digits joined by single hyphens (eu-1)")
            return nil
        }
        guard let environment else { return nil }
        guard !environment.contains("-") else {
            reader.mistake("the environment has a region already")
            return nil
        }
        return "\(environment)-\(region)"
    }

    /// - Parameter tenant: the id of the tenant that it belongs to, if there is one.
    func routeID(_ reader: DocumentReader, tenant: String?) -> RouteID? {
        guard let text = reader.text(), !text.isEmpty else { return nil }
        // The id of each request is the caller's `VGS-Route-Id`.
        if text == "caller" {
            requireRoom(forRouteIDOf: tenant, reader)
            return nil
        }
        guard let id = RouteID(text) else {
            reader.mistake("must be a UUID with its hyphens, or caller")
            return nil
        }
        requireRoom(forRouteIDOf: tenant, reader)
        return id
    }

    private func requireRoom(forRouteIDOf tenant: String?, _ reader: DocumentReader) {
        guard let tenant, tenant.utf8.count > Tenant.idLimitWithRoute else { return }
        reader.mistake("with a route id the tenantId has at most \(Tenant.idLimitWithRoute) characters")
    }
}
