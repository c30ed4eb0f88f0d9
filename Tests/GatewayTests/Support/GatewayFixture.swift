import Access
import AuditLogTesting
import EventIO
import FileTesting
import FormSchema
import HTTPWire
import JSON
import Logging
import Sensitive
import Testing
import Vault
import VaultTesting

@testable import Configuration
@testable import EventHTTP
@testable import Gateway

/// A gateway without sockets: requests go straight into its router, the vault is in memory.
struct GatewayFixture: Sendable {
    let router: Router
    let audit: TestAudit
    let vault: Vault
    let store: MemoryAliasStore
    let telemetry: Telemetry
    let sessions: Sessions
    private let loop: EventLoop
    /// Kept for as long as the gateway that asks it.
    var upstream: StandIn?

    /// Where exchanges with upstreams run.
    private static let clientLoop = Result {
        let loop = try EventLoop(name: "client")
        try loop.start()
        return loop
    }

    /// The form that most tests use.
    static let checkout = """
        form: checkout
        route: echo
        allowedOrigins: [https://shop.example]
        fields:
          - {name: card_number, type: cardNumber, isRequired: true, isRequiredValidOnly: true, tokenization: {}}
          - {name: cvc, type: cvc, isRequiredValidOnly: true, tokenization: {}}
          - {name: note}
        """

    /// - Parameter connectTo: stand-ins for hosts.
    init(
        form: String = checkout, routes: [Route] = [.builtInEcho], rateLimit: ServerSettings.RateLimit = .init(),
        connectTo: [String: SocketAddress] = [:], remote: RemoteVaultSettings? = nil,
        store: MemoryAliasStore = MemoryAliasStore(), volatileCapacity: Int = 1_000, storeFailure: VaultError? = nil,
        auditFolder: TemporaryFolder? = nil, idempotency: IdempotencyLimits = IdempotencyLimits(),
        credentials more: [CredentialSettings] = [],
        auth: AuthSettings = AuthSettings(), trustedProxies: [String] = [], clock: VaultClock = .system,
        reuse: Bool = true
    ) async throws {
        let kinds = Dictionary(uniqueKeysWithValues: routes.map { ($0.name, $0.kind) })
        let context = FormContext(
            dependencies: .gateway, routes: kinds, aliasFallback: .none, maxItems: 3, bodyLimit: nil)
        let log = MistakeLog(file: nil)
        let root = try #require(YAMLDocument.root(of: form, log: log))
        let schema = try #require(
            FormSchema.load(Document(file: nil, root: root), in: context.loadContext, log: log),
            "\(log.mistakes)")
        var settings = VaultConfiguration()
        settings.volatileCapacity = volatileCapacity
        settings.clock = clock
        settings.reuse = reuse
        let vault = try await Vault.open(
            settings, masterKey: MasterKey(bytes: Array(0..<32)), store: store)
        self.vault = vault
        self.store = store
        let audit = try await TestAudit(folder: auditFolder)
        self.audit = audit
        let credentials: [CredentialSettings] = [
            .development,
            CredentialSettings(
                name: "writer", username: "writer", secrets: [.text(SensitiveText("w"))], scopes: [.createAliases]),
            CredentialSettings(
                name: "sender", username: "sender", secrets: [.text(SensitiveText("s"))], scopes: [.sendForms]),
            CredentialSettings(name: "nobody", username: "nobody", secrets: [.text(SensitiveText("n"))], scopes: []),
        ]
        var configuration = LogSettings()
        configuration.level = .critical
        let telemetry = Telemetry(configuration, sink: try LogSink())
        self.telemetry = telemetry
        let limits = RequestLimits(rateLimit, credentials + more)
        let keys = try AccessKeys(root: vault.key(for: .operations))
        sessions = Sessions(keys, vault: vault, telemetry: telemetry)
        sessions.ended.merge([], at: EndedSessions.neverStale)
        let authenticator = try Authenticator(
            (credentials + more).map { Credential($0) }, sessions: sessions,
            providers: try IdentityProviders(
                auth, client: Client(loops: [try Self.clientLoop.get()], connectTo: connectTo), telemetry: telemetry),
            limits: limits, memory: SecretMemory(), audit: audit.log, telemetry: telemetry, checksAtOnce: 2)
        let aliasLimits = AliasLimits(
            guesses: GuessLimit(
                try GuessCounter(key: keys.guesses, limit: 20, window: 3_600), clock: clock, telemetry: telemetry,
                audit: audit.log),
            volatile: VolatileShares(
                capacity: volatileCapacity, lifetime: 3_600, clock: vault.configuration.clock, telemetry: telemetry,
                stored: { nil }, dropEnded: { vault.sweepSome() }),
            narrow: NarrowSpaceShares(lifetime: 3_600, telemetry: telemetry),
            reveals: RevealShares(telemetry: telemetry))
        let client = Client(loops: [try Self.clientLoop.get()], connectTo: connectTo)
        let remoteTokenizer = try remote.map { try RemoteTokenizer($0, client: client, telemetry: telemetry) }
        let forwarder = try Forwarder(
            client: client, routes: routes, telemetry: telemetry)
        telemetry.addMetrics(forwarder.metrics)
        let once = try Idempotency(vault, idempotency, telemetry: telemetry)
        let calls = Calls(
            forms: FormCalls(
                authenticator: authenticator, idempotency: once,
                judge: SubmissionJudge(telemetry: telemetry),
                creation: AliasCreation(
                    vault: vault, remote: remoteTokenizer, limits: aliasLimits, telemetry: telemetry, audit: audit.log),
                forwarder: forwarder),
            vault: VaultCalls(
                vault: vault, isRemote: remote != nil, authenticator: authenticator, maxItems: 3, limits: aliasLimits,
                telemetry: telemetry, erasures: ErasureRunner(vault: vault, audit: audit.log, telemetry: telemetry),
                audit: audit.log),
            routes: RouteCalls(
                routes: routes, vault: vault, authenticator: authenticator, forwarder: forwarder,
                volatile: aliasLimits.volatile, telemetry: telemetry, audit: audit.log, storeFailure: { storeFailure }),
            elements: ElementCalls(isEnabled: true, isDevelopment: false, isSandbox: false),
            sessions: SessionCalls(authenticator: authenticator, audit: audit.log),
            accessTokens: AccessTokenCalls(authenticator: authenticator, audit: audit.log))
        router = Router(
            calls, table: FormTable([schema], routes: routes), limits: limits,
            proxies: TrustedProxies(trustedProxies.compactMap { Network($0) }), telemetry: telemetry, isSecure: false)
        loop = try EventLoop()
    }

    /// A response as tests look at it.
    struct Response {
        let status: Int
        let headers: [(String, String)]
        let body: String

        subscript(_ name: String) -> String? { headers.first { $0.0 == name }?.1 }
        var json: JSONValue? { try? JSONValue.parse(Array(body.utf8)) }
        /// `code/type` of a problem.
        var problem: String? {
            guard let error = json?.object?["error"]?.object, case .number(let code)? = error["code"] else {
                return nil
            }
            return "\(code.text)/\(error["type"]?.string ?? "")"
        }
        /// The first `detail` of the vault plane.
        var detail: String? {
            guard case .array(let errors)? = json?.object?["errors"] else { return nil }
            return errors.first?.object?["detail"]?.string
        }
    }

    /// Basic credentials of the fixture's users.
    static let dev = "Authorization: Basic ZGV2OmRldi1zZWNyZXQ="
    static let writer = "Authorization: Bearer w"
    static let sender = "Authorization: Bearer s"
    static let nobody = "Authorization: Bearer n"

    /// - Parameters:
    ///   - line: method and target.
    ///   - json: the body; its media type is announced.
    func call(_ line: String, _ headers: [String] = [], json: String? = nil) async throws -> Response {
        let type = json == nil ? [] : ["Content-Type: application/json"]
        return try await call(line, headers + type, body: json ?? "")
    }

    /// A response whose client has read nothing of it yet.
    struct Held {
        let status: Int
        let headers: [(String, String)]
        let kept: (any AnyObject & Sendable)?

        subscript(_ name: String) -> String? { headers.first { $0.0 == name }?.1 }
    }

    /// As ``call(_:_:json:)``, of which the response is kept in memory with what is returned.
    func held(_ line: String, _ headers: [String], json: String?) async throws -> Held {
        let type = json == nil ? [] : ["Content-Type: application/json"]
        let request = try request(line, headers + type, body: json ?? "")
        return await withTaskExecutorPreference(try Self.clientLoop.get()) {
            let response = await router.respond(to: request)
            return Held(status: response.status, headers: response.allHeaders, kept: response.kept)
        }
    }

    /// With a body of any type.
    ///
    /// - Parameter opaque: another header line, which need not be UTF-8.
    func call(_ line: String, _ headers: [String], opaque: [UInt8]? = nil, body: String) async throws -> Response {
        let request = try request(line, headers, opaque: opaque, body: body)
        // On a loop of the client's, where responses are streamed as they are for clients.
        return try await withTaskExecutorPreference(try Self.clientLoop.get()) {
            try await Self.response(to: request, router)
        }
    }

    private func request(
        _ line: String, _ headers: [String], opaque: [UInt8]? = nil, body: String
    ) throws -> ServerRequest {
        let lines = ["\(line) HTTP/1.1", "Host: gateway.example"] + headers
        var bytes = Array((lines.joined(separator: "\r\n") + "\r\n").utf8)
        if let opaque { bytes += opaque + Array("\r\n".utf8) }
        bytes += Array("\r\n".utf8)
        var parser = RequestHeadParser()
        let head = try #require(try parser.parse(bytes.span))
        return ServerRequest(
            head: head, body: Array(body.utf8), loop: loop, remoteBits: (0, 0xFFFF_7F00_0001), isSecure: false)
    }

    private static func response(to request: ServerRequest, _ router: Router) async throws -> Response {
        let response = await router.respond(to: request)
        var body = response.body
        while let piece = try await response.incoming?.next(), !piece.isEmpty { body += piece }
        let opaque = response.fixed.opaque.map { ($0.0, String(decoding: $0.1, as: UTF8.self)) }
        return Response(
            status: response.status, headers: response.allHeaders + opaque,
            body: String(decoding: body, as: UTF8.self))
    }
}
