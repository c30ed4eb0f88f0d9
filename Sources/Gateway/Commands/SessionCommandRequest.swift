import Access
public import Configuration
import FormSchema
import JSON
import Vault

/// `cloakroom session`: makes a session without a request, for trying out (`docs/reference/access.md` section 2). Whoever has the master
/// key can sign sessions; the audit log, which belongs to the process that serves the vault, has no record of it.
public struct SessionCommandRequest: Sendable {
    /// The form that it is for.
    public var form: String
    /// Names of operations; empty for those of the form.
    public var operations: [String] = []
    /// A time such as `15m`; nil for the usual one.
    public var ttl: String?
    /// How many requests it is good for; nil: any number.
    public var maxRequests: Int?
    /// The only origin of pages; nil: any, and none.
    public var origin: String?
    /// The only upstream paths of `send`; empty: any.
    public var paths: [String] = []
    /// The credential that it stands for; nil for the first with the scope
    /// `sessions:create`, whatever its forms.
    public var credential: String?

    /// A session for one form, of its operations and 15 minutes.
    public init(form: String) {
        self.form = form
    }

    /// The token. The vault must exist; it may be served meanwhile. Throws if the form, an operation or the credential does not allow it,
    /// or the vault or its master key cannot be read.
    public func token(_ configuration: Configuration) throws(StartError) -> String {
        let (request, access): (SessionRequest, [FormOperation: FormAccess])
        do {
            request = try SessionRequest(body: body)
            access = try request.access(
                offered: configuration.forms.first { $0.form == form }?.accessOfOperations)
        } catch { throw StartError("\(error)") }
        let caller = try caller(configuration)
        let claims: SessionClaims
        do {
            claims = try caller.session(for: request, access: access, id: .random, at: SystemClock.seconds)
        } catch { throw StartError("the credential may not make this session: \(Self.text(error))") }
        do {
            return try AccessKeys(root: configuration.vault.key(for: .operations)).session.token(for: claims)
        } catch let error as StartError { throw error } catch { throw StartError("vault: \(error)") }
    }

    private func caller(_ configuration: Configuration) throws(StartError) -> Caller {
        for settings in configuration.credentials {
            let found = Credential(settings)
            if let credential, found.name != credential { continue }
            guard credential != nil || found.permissions.scopes.contains(.createSessions) else { continue }
            var permissions = found.permissions
            // The networks restrict requests; a command is not one.
            permissions.addresses = nil
            return Caller(credential: found.name, permissions, at: ClientAddress(IPAddress(v4: 0x7F00_0001)))
        }
        throw StartError(
            credential == nil
                ? "no credential has the scope sessions:create" : "credential: there is no such credential")
    }

    private static func text(_ refusal: AccessRefusal) -> String {
        switch refusal {
        case .missingScope(let scope): "it lacks \(scope.rawValue)"
        case .expired: "it has expired"
        default: "the form or its operations are not for it, or not for sessions"
        }
    }

    /// As a backend would ask for it.
    private var body: [UInt8] {
        var json = JSONWriter()
        json.beginObject()
        json.key("form")
        json.string(form)
        if !operations.isEmpty {
            json.key("operations")
            json.strings(operations)
        }
        if let ttl {
            json.key("ttl")
            json.string(ttl)
        }
        if let maxRequests {
            json.key("maxRequests")
            json.number(maxRequests)
        }
        if let origin {
            json.key("origin")
            json.string(origin)
        }
        if !paths.isEmpty {
            json.key("paths")
            json.strings(paths)
        }
        json.endObject()
        return json.bytes
    }
}
