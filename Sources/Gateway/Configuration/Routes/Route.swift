import EventIO
import FormSchema

/// A place that submissions are sent to, as configured (docs/reference/proxy.md section 1).
struct Route: Sendable {
    /// Where a route's requests go.
    enum Target: Sendable {
        /// Nowhere: the gateway answers itself.
        case echo
        /// The merchant's server, which gets aliases.
        case upstream(BaseURL)
        /// A remote VGS tenant, which gets values; with the route id that is fixed, if one is.
        case vgs(Tenant, routeID: RouteID?)
        /// A processor's server, which gets values in place of the caller's aliases.
        case reveal(BaseURL, RevealRules)

        /// The base URL, if it is the same for every request.
        var base: BaseURL? {
            switch self {
            case .echo, .vgs: nil
            case .upstream(let base), .reveal(let base, _): base
            }
        }
    }

    struct Timeouts: Sendable {
        /// To get a connection.
        var connect = Duration.seconds(10)
        /// From sending to the first byte of the answer; nil: as long as `total`.
        var response: Duration?
        /// The whole exchange, from the start of connecting to the answer's last byte.
        var total = Duration.seconds(60)
    }

    /// How an https upstream is recognised, and how the gateway shows itself to it.
    struct TLS: Sendable, Hashable {
        /// Path of a PEM file with the authorities to trust; nil: the system's.
        var ca: String?
        /// Name the certificate must have; nil: the URL's host.
        var serverName: String?
        /// Paths of PEM files with the certificate to show, its chain included, and its key.
        var identity: Identity?
        var minimumVersion = TLSVersion.tls12

        struct Identity: Sendable, Hashable {
            let certificate: String
            let key: String
        }
    }

    /// Connections of each loop to the upstream.
    struct Pool: Sendable {
        /// In use at a time.
        var connections = 1_024
        /// Kept for later.
        var idle = 256
        /// Requests that wait for one.
        var queue = 1_024
    }

    /// When an upstream is left alone.
    struct Breaker: Sendable {
        /// Exchanges that fail one after the other; 0: never. So many that a busy upstream's bad moment is not taken for its end.
        var failures = 100
        /// How long it is left alone.
        var rest = Duration.seconds(5)
    }

    let name: String
    let target: Target
    /// Allowed methods, in the order of `Route.allMethods`.
    var methods: [String]
    /// Request headers passed on, in lower case.
    var forwardHeaders: [String] = []
    /// Headers that every request gets; they win over forwarded ones.
    var headers: [(name: String, value: String)] = []
    /// Response headers passed back, as they are to be written.
    var responseHeaders = ["Content-Type"]
    var timeouts = Timeouts()
    var tls = TLS()
    var pool = Pool()
    var breaker = Breaker()
    /// Paths that may be asked for; nil: all.
    var paths: [PathPattern]?

    /// Every method that a send may use.
    static let allMethods = ["GET", "POST", "PUT", "PATCH", "DELETE"]

    /// The route that is always there.
    static let builtInEcho = Route(name: "echo", target: .echo, methods: allMethods)

    var kind: RouteKind {
        switch target {
        case .echo: .echo
        case .upstream: .upstream
        case .vgs: .vgs
        case .reveal: .reveal
        }
    }

    /// Whether requests go anywhere.
    var isRemote: Bool {
        if case .echo = target { false } else { true }
    }

    var isSecure: Bool {
        if case .vgs = target { return true }
        return target.base?.isSecure ?? false
    }

    /// The fixed part of its URLs, for people; `-` where there is none.
    var baseDescription: String {
        switch target {
        case .echo: "-"
        case .upstream(let base), .reveal(let base, _): base.description
        case .vgs(let tenant, let routeID): tenant.base(routeID: routeID)?.description ?? "-"
        }
    }
}

/// What a reveal route replaces on the way out and on the way back (docs/reference/proxy.md section 7).
struct RevealRules: Sendable {
    enum Body: String, Sendable { case yes, no, require }
    enum UnknownAliases: String, Sendable, CaseIterable { case refuse, pass }

    /// A part of the answer whose text becomes an alias before the caller sees it.
    struct Redaction: Sendable {
        /// JSON pointer (RFC 6901) whose `*` is any index.
        let pointer: String
        let format: String
        let storage: String?
        let classifiers: [String]
    }

    var body = Body.yes
    var headers: [String] = []
    var query: [String] = []
    var unknownAliases = UnknownAliases.refuse
    var redact: [Redaction] = []
}
