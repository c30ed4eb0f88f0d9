import FormSchema

/// How a route talks to its upstream.
extension ConfigurationScope {
    func timeouts(_ reader: DocumentReader) -> Route.Timeouts {
        var timeouts = Route.Timeouts()
        let range = Duration.milliseconds(1)...Duration.seconds(3600)
        guard let map = reader.map(keys: ["connect", "response", "total"]) else { return timeouts }
        if let connect = map["connect"]?.timeSpan(in: range) { timeouts.connect = connect }
        if let response = map["response"]?.timeSpan(in: range) { timeouts.response = response }
        if let total = map["total"]?.timeSpan(in: range) { timeouts.total = total }
        if timeouts.connect > timeouts.total {
            // The default is shortened to what is left.
            map["connect"]?.mistake("longer than total (\(timeouts.total))")
            timeouts.connect = timeouts.total
        }
        return timeouts
    }

    /// - Parameter owner: what mistakes name, for example `route orders`.
    func tls(_ reader: DocumentReader, for owner: String? = nil) -> Route.TLS {
        var tls = Route.TLS()
        let keys = ["ca", "serverName", "certificate", "key", "minimumVersion"]
        guard let map = reader.map(keys: keys) else { return tls }
        tls.ca = map["ca"].flatMap { authorities($0, for: owner) }
        tls.serverName = map["serverName"].flatMap(serverName)
        if let version = map["minimumVersion"].flatMap(tlsVersion) { tls.minimumVersion = version }
        guard map["certificate"] != nil || map["key"] != nil else { return tls }
        if let identity = identity(map, for: owner) {
            tls.identity = Route.TLS.Identity(certificate: identity.certificate, key: identity.key)
        }
        return tls
    }

    private func serverName(_ reader: DocumentReader) -> String? {
        guard let name = reader.text() else { return nil }
        if BaseURL.isHost(name) { return name }
        reader.mistake("must be the host name or the address that the certificate is for")
        return nil
    }

    /// `1.2` may stand there as a number.
    private func tlsVersion(_ reader: DocumentReader) -> Route.TLS.Version? {
        switch reader.node.content {
        case .number(let text), .text(let text): if let version = Route.TLS.Version(rawValue: text) { return version }
        default: break
        }
        reader.mistake("expected 1.2 or 1.3")
        return nil
    }

    func pool(_ reader: DocumentReader) -> Route.Pool {
        var pool = Route.Pool()
        guard let map = reader.map(keys: ["connections", "idle", "queue"]) else { return pool }
        if let count = map["connections"]?.int(in: 1...100_000) { pool.connections = count }
        if let count = map["idle"]?.int(in: 0...100_000) { pool.idle = count }
        if let count = map["queue"]?.int(in: 0...100_000) { pool.queue = count }
        return pool
    }

    func breaker(_ reader: DocumentReader) -> Route.Breaker {
        var breaker = Route.Breaker()
        guard let map = reader.map(keys: ["failures", "rest"]) else { return breaker }
        if let count = map["failures"]?.int(in: 0...1_000_000) { breaker.failures = count }
        let range = Duration.milliseconds(1)...Duration.seconds(3600)
        if let rest = map["rest"]?.timeSpan(in: range) { breaker.rest = rest }
        return breaker
    }

    func paths(_ reader: DocumentReader) -> [PathPattern] {
        guard let list = reader.list() else { return [] }
        if list.isEmpty { reader.mistake("name at least one path, or leave the key out") }
        return list.compactMap { element in
            guard let text = element.text() else { return nil }
            if let pattern = PathPattern(text) { return pattern }
            element.mistake("expected a path such as /orders, /orders/* or /orders/**")
            return nil
        }
    }
}
