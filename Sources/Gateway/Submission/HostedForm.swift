import Configuration
import Crypto
import FormSchema
import JSON

/// A form as a server hosts it: the schema with everything that can be precomputed.
final class HostedForm: Sendable {
    let schema: FormSchema
    /// Where `send` goes; nil if the form has no route.
    let route: Route?
    /// Those of its route; nil if the form has none.
    let methodsOfSend: MethodSet?
    let clock: ZoneClock
    /// The body of `GET /v1/forms/{form}`.
    let description: [UInt8]
    /// The version of the description: a digest of it.
    let version: String
    /// Its entity tag (RFC 9110 section 8.8.3).
    var entityTag: String { "\"\(version)\"" }

    init(_ schema: FormSchema, routes: [String: Route]) {
        self.schema = schema
        route = schema.route.flatMap { routes[$0] }
        methodsOfSend = route.map { MethodSet(of: $0) }
        clock = ZoneClock(schema.timeZone) ?? ZoneClock()
        var json = JSONWriter(capacity: 2_048)
        schema.writeDescription(into: &json)
        description = json.bytes
        let digest = (try? SHA256.digest(description)) ?? []
        version = Hexadecimal.encode(Array(digest.prefix(16)))
    }

    /// - Parameters:
    ///   - copy: of the schema of `other`.
    ///   - other: gives what only `GET /v1/forms/{form}` needs.
    init(_ copy: FormSchema, as other: HostedForm) {
        schema = copy
        route = other.route
        methodsOfSend = other.methodsOfSend
        clock = ZoneClock(copy.timeZone) ?? ZoneClock()
        description = other.description
        version = other.version
    }
}
