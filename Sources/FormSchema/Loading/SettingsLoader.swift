#if !hasFeature(Embedded)

/// Reads the keys of a form that concern the server alone (`docs/reference/fields.md` section 1).
struct SettingsLoader {
    let context: LoadContext

    func load(_ map: MapReader) -> FormSchema.Settings {
        var settings = FormSchema.Settings()
        settings.title = map["title"]?.text()
        settings.timeZone = map["timeZone"].flatMap(zone) ?? settings.timeZone
        settings.route = map["route"].flatMap(routeName)
        settings.access = access(map["access"])
        settings.allowedOrigins = map["allowedOrigins"]?.list()?.compactMap(origin) ?? []
        settings.allowedHeaders = map["allowedHeaders"]?.list()?.compactMap(headerName) ?? []
        settings.guard = panGuard(map["guard"])
        settings.omitEmptyFields = map["omitEmptyFields"]?.bool() ?? false
        return settings
    }

    private func routeName(_ reader: DocumentReader) -> String? {
        guard let name = reader.text() else { return nil }
        guard let routes = context.routes else {
            reader.mistake("no route can be named without a configuration")
            return nil
        }
        guard let kind = routes[name] else {
            reader.mistake("no such route (\(oneOf(Self.sendable(routes), closestTo: name)))")
            return nil
        }
        guard kind != .reveal else {
            reader.mistake("a form cannot be sent to a reveal route (\(oneOf(Self.sendable(routes), closestTo: name)))")
            return nil
        }
        return name
    }

    private static func sendable(_ routes: [String: RouteKind]) -> [String] {
        routes.filter { $0.value != .reveal }.keys.sorted()
    }

    private func zone(_ reader: DocumentReader) -> String? {
        guard let name = reader.text() else { return nil }
        if context.timeZoneExists(name) { return name }
        reader.mistake("unknown time zone \(quoted(name)) (allowed: IANA names such as America/New_York)")
        return nil
    }

    private func origin(_ reader: DocumentReader) -> String? {
        guard let text = reader.text() else { return nil }
        if text == "*" || isOrigin(text) { return text }
        reader.mistake("must be an origin such as https://shop.example, as browsers send it, or *")
        return nil
    }

    /// Whether a browser could send it: names are in lower case, and the scheme's own port is left out (RFC 6454 section 6.2).
    private func isOrigin(_ text: String) -> Bool {
        for (scheme, ownPort) in [("https://", 443), ("http://", 80)] where text.hasPrefix(scheme) {
            let authority = text.utf8.dropFirst(scheme.utf8.count)
            let hasOddByte = authority.contains { byte in
                switch byte {
                case 0x30...0x39, 0x61...0x7A: false
                default: !"-._:[]".utf8.contains(byte)
                }
            }
            return !authority.isEmpty && !hasOddByte && hasPort(authority, otherThan: ownPort)
        }
        return false
    }

    /// Whether a host stands alone, or with a port as browsers write it: 1 to 65535, without leading zeros. An IPv6 address stands in
    /// brackets.
    private func hasPort(_ authority: Substring.UTF8View, otherThan ownPort: Int) -> Bool {
        var rest = authority
        if rest.first == UInt8(ascii: "[") {
            guard let end = rest.firstIndex(of: UInt8(ascii: "]")) else { return false }
            rest = rest[rest.index(after: end)...]
        } else {
            rest = rest.drop { !":[]".utf8.contains($0) }
            if rest.startIndex == authority.startIndex { return false }
        }
        if rest.isEmpty { return true }
        guard rest.first == UInt8(ascii: ":"), let digits = String(rest.dropFirst()), let port = Int(digits),
            String(port) == digits
        else { return false }
        return (1...65_535).contains(port) && port != ownPort
    }

    /// A token of RFC 9110 section 5.6.2.
    private func headerName(_ reader: DocumentReader) -> String? {
        guard let text = reader.text() else { return nil }
        let isToken = text.utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
            default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
            }
        }
        if (1...128).contains(text.utf8.count), isToken, text != "*" { return text }
        reader.mistake("must be the name of a header, such as X-Csrf-Token")
        return nil
    }

    private func access(_ reader: DocumentReader?) -> FormSchema.Access {
        var access = context.closesUnnamedAccess ? FormSchema.Access.closed : FormSchema.Access()
        guard let map = reader?.map(keys: ["validate", "aliases", "tokens", "send"]) else { return access }
        access.validate = map["validate"]?.choice(FormSchema.Caller.self) ?? access.validate
        access.aliases = map["aliases"]?.choice(FormSchema.Caller.self) ?? access.aliases
        access.tokens = map["tokens"]?.choice(FormSchema.Caller.self) ?? access.tokens
        access.send = map["send"]?.choice(FormSchema.Caller.self) ?? access.send
        return access
    }

    private func panGuard(_ reader: DocumentReader?) -> FormSchema.Guard {
        var result = FormSchema.Guard()
        guard let map = reader?.map(keys: ["pan"]) else { return result }
        result.pan = map["pan"]?.choice(FormSchema.Guard.Action.self) ?? result.pan
        return result
    }
}

#endif
