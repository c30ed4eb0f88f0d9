public import FormSchema

/// A place that submissions are sent to, as configured (docs/reference/proxy.md section 1).
public struct Route: Sendable, Equatable {
    /// Where a route's requests go.
    public enum Target: Sendable, Hashable {
        /// Nowhere: the gateway responds itself.
        case echo
        /// The merchant's server, which gets aliases.
        case upstream(BaseURL)
        /// A remote VGS tenant, which gets values; with the route id that is fixed, if one is.
        case vgs(Tenant, routeID: RouteID?)
        /// A processor's server, which gets values in place of the caller's aliases.
        case reveal(BaseURL, RevealRules)

        /// The base URL, if it is the same for every request.
        public var base: BaseURL? {
            switch self {
            case .echo, .vgs: nil
            case .upstream(let base), .reveal(let base, _): base
            }
        }
    }

    /// How long an exchange may take.
    public struct Timeouts: Sendable, Hashable {
        /// To get a connection.
        public var connect = Duration.seconds(10)
        /// From sending to the first byte of the response; nil: as long as `total`.
        public var response: Duration?
        /// The whole exchange, from the start of connecting to the response's last byte.
        public var total = Duration.seconds(60)
    }

    /// How an https upstream is verified, and what certificate the gateway shows to it.
    public struct TLS: Sendable, Hashable {
        /// The lowest version that is spoken.
        public enum Version: String, Sendable, CaseIterable {
            case tls12 = "1.2"
            case tls13 = "1.3"
        }

        /// Path of a PEM file with the authorities to trust; nil: the system's.
        public var ca: String?
        /// Name the certificate must have; nil: the URL's host.
        public var serverName: String?
        /// Paths of PEM files with the certificate to show, its chain included, and its key.
        public var identity: Identity?
        /// The lowest version that is spoken.
        public var minimumVersion = Version.tls12

        /// A certificate to show, with its key.
        public struct Identity: Sendable, Hashable {
            /// Path of a PEM file with the certificate and its chain.
            public let certificate: String
            /// Path of a PEM file with the private key.
            public let key: String
        }
    }

    /// Connections of each loop to the upstream.
    public struct Pool: Sendable, Hashable {
        /// In use at a time.
        public var connections = 1_024
        /// Kept for later.
        public var idle = 256
        /// Requests that wait for one.
        public var queue = 1_024
    }

    /// When an upstream gets no requests for a while.
    public struct Breaker: Sendable, Hashable {
        /// Exchanges that fail one after the other; 0: never. The default is high, so that a short disturbance of a busy upstream
        /// does not open the breaker.
        public var failures = 100
        /// How long it gets none.
        public var rest = Duration.seconds(5)

        /// The default, with another number of failures.
        public init(failures: Int = 100) {
            self.failures = failures
        }
    }

    /// How forms and URLs refer to it.
    public let name: String
    /// Where its requests go.
    public let target: Target
    /// Allowed methods, in the order of `Route.allMethods`.
    public var methods: [String]
    /// Request headers passed on, in lower case.
    public var forwardHeaders: [String] = []
    /// Headers that every request gets; they win over forwarded ones.
    public var headers: [(name: String, value: String)] = []
    /// Response headers passed back, as they are to be written.
    public var responseHeaders = ["Content-Type"]
    /// How long an exchange may take.
    public var timeouts = Timeouts()
    /// How the upstream is verified.
    public var tls = TLS()
    /// Connections to the upstream.
    public var pool = Pool()
    /// What is done about card numbers that were not meant to pass; nil: what the form says, and `report` on a reveal route.
    public var panGuard: FormSchema.Guard.Action?
    /// When the upstream gets no requests.
    public var breaker = Breaker()
    /// Paths that may be asked for; nil: all.
    public var paths: [PathPattern]?

    /// Whether both are configured the same.
    public static func == (left: Route, right: Route) -> Bool {
        left.name == right.name && left.target == right.target && left.methods == right.methods
            && left.forwardHeaders == right.forwardHeaders && left.headers.elementsEqual(right.headers, by: ==)
            && left.responseHeaders == right.responseHeaders && left.timeouts == right.timeouts
            && left.tls == right.tls && left.pool == right.pool && left.panGuard == right.panGuard
            && left.breaker == right.breaker && left.paths == right.paths
    }

    /// Whether a header asks for responses that may be compressed.
    static func asksForCoding(_ name: String, _ value: String) -> Bool {
        name.lowercased() == "accept-encoding" && value.lowercased() != "identity"
    }

    /// Whether responses may be compressed, and the route itself does not say that they are searched or not.
    var leavesCompressed: Bool { panGuard == nil && headers.contains { Self.asksForCoding($0.name, $0.value) } }

    /// Every method that a send may use.
    public static let allMethods = ["GET", "POST", "PUT", "PATCH", "DELETE"]

    /// The route that is always there.
    public static let builtInEcho = Route(name: "echo", target: .echo, methods: allMethods)

    /// What stands behind it.
    public var kind: RouteKind {
        switch target {
        case .echo: .echo
        case .upstream: .upstream
        case .vgs: .vgs
        case .reveal: .reveal
        }
    }

    /// Whether requests go anywhere.
    public var isRemote: Bool {
        if case .echo = target { false } else { true }
    }

    /// Whether its requests go over TLS.
    public var isSecure: Bool {
        if case .vgs = target { return true }
        return target.base?.isSecure ?? false
    }

    /// The fixed part of its URLs, for people; `-` where there is none.
    public var baseDescription: String {
        switch target {
        case .echo: "-"
        case .upstream(let base), .reveal(let base, _): base.description
        case .vgs(let tenant, let routeID): tenant.base(routeID: routeID)?.description ?? "-"
        }
    }
}

/// What a reveal route replaces on the way out and on the way back (docs/reference/proxy.md section 7).
public struct RevealRules: Sendable, Hashable {
    /// Which bodies are read: of JSON and form encoding, none, or of these and no others.
    public enum Body: Sendable, Hashable {
        /// Texts that only an alias can be, wherever they stand; other media types pass.
        case yes
        /// Nothing.
        case no
        /// As `yes`, but other media types are refused.
        case require
        /// Texts at these places, aliases of every format; other media types are refused. In a form-encoded body a pointer of one
        /// token is a name. `*` is any index or member.
        case pointers([JSONPointer])
    }
    /// What is done about a text with the shape of an alias that is unknown.
    public enum UnknownAliases: String, Sendable, CaseIterable { case refuse, pass }

    /// A part of the response whose text becomes an alias before the caller sees it.
    public struct Redaction: Sendable, Hashable {
        /// JSON pointer (RFC 6901) whose `*` is any index.
        public let pointer: String
        /// Of the alias.
        public let format: String
        /// Where the value is kept.
        public let storage: AliasStorage
        /// Labels of the value.
        public let classifiers: [String]
    }

    /// Which bodies are read.
    public var body = Body.yes
    /// Where an alias of this vault must stand; else the request is refused before anything is sent.
    public var require: [JSONPointer] = []
    /// Request headers whose whole value may be an alias, in lower case.
    public var headers: [String] = []
    /// Parameters of the query whose value may be an alias.
    public var query: [String] = []
    /// What is done about unknown aliases.
    public var unknownAliases = UnknownAliases.refuse
    /// What becomes an alias in the response.
    public var redact: [Redaction] = []
}
