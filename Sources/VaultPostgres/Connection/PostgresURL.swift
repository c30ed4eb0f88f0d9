import Glibc
public import Sensitive

/// A connection URL by its parts (PostgreSQL, section 34.1.1.2), as far as they are judged here; libpq reads the whole.
public struct PostgresURL: Sendable {
    /// Hosts as they stand between the slashes, without ports, percent-encoded.
    public let hosts: [Substring]
    /// Ports as they stand behind the hosts; empty where none does.
    private let ports: [Substring]
    /// Parameters behind the question mark, decoded. Of several with one name libpq takes the last.
    private let parameters: [String: String]

    /// Nil if `url` has no scheme of PostgreSQL.
    public init?(_ url: SensitiveText) {
        let text = url.exposed
        guard let scheme = ["postgresql://", "postgres://"].first(where: text.hasPrefix) else { return nil }
        let rest = text.dropFirst(scheme.count)
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        let behindUser = authority.lastIndex(of: "@").map { authority[authority.index(after: $0)...] } ?? authority
        let places = behindUser.split(separator: ",")
        hosts = places.map { place in
            place.hasPrefix("[") ? place.prefix { $0 != "]" } + "]" : place.prefix { $0 != ":" }
        }
        ports = places.map { place in
            (place.hasPrefix("[") ? place.drop { $0 != "]" } : place).drop { $0 != ":" }.dropFirst()
        }
        var parameters: [String: String] = [:]
        let query = rest.firstIndex(of: "?").map { rest[rest.index(after: $0)...] } ?? ""
        for pair in query.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = String(percentDecoded: parts[0]) else { continue }
            let value = parts.count > 1 ? String(percentDecoded: parts[1]) : ""
            if name == "ssl", value == "true" {
                // What JDBC's URLs say; libpq takes it for this.
                parameters["sslmode"] = "require"
            } else {
                parameters[name] = value
            }
        }
        self.parameters = parameters
    }

    /// Whether the certificate and the name of the server are verified, or it is on this machine.
    public var isServerVerified: Bool { isServerVerified { getenv($0) != nil } }

    /// - Parameter isSet: whether the process's environment has a variable: libpq takes from there what the URL leaves out.
    func isServerVerified(_ isSet: (String) -> Bool) -> Bool {
        if parameters["sslmode"] == "verify-full" { return true }
        // An address takes the place of the hosts, and a service may name one.
        let isElsewhere =
            ["host", "hostaddr", "service"].contains { parameters[$0] != nil }
            || ["PGHOSTADDR", "PGSERVICE"].contains(where: isSet) || hosts.isEmpty && isSet("PGHOST")
        guard !isElsewhere else { return false }
        return hosts.allSatisfy { host in
            ["localhost", "127.0.0.1", "[::1]"].contains(host) || Self.isSocket(host)
        }
    }

    /// What libpq would refuse only when it connects, or would not find; nil if there is nothing. Which parameters there are depends on
    /// its version: an unknown one is refused when the vault is opened.
    ///
    /// - Parameter opensFiles: whether files that it names must be there.
    public func fault(opensFiles: Bool) -> String? {
        let others = parameters["port"]?.split(separator: ",", omittingEmptySubsequences: false) ?? []
        guard (ports + others).allSatisfy({ $0.isEmpty || UInt16($0).map { $0 > 0 } == true }) else {
            return "a port is from 1 to 65535"
        }
        if let mode = parameters["sslmode"], !Self.sslModes.contains(mode) {
            return "sslmode is one of \(Self.sslModes.joined(separator: ", "))"
        }
        guard opensFiles, parameters["sslmode"] != "disable" else { return nil }
        for name in ["sslrootcert", "sslcert", "sslkey"] {
            // With a colon it names a key in a token.
            guard let path = parameters[name], !path.isEmpty, path != "system", !path.contains(":") else { continue }
            if access(path, R_OK) != 0 {
                return "the file of \(name) cannot be read"
            }
        }
        return isWithoutAuthorities
            ? "sslmode verifies the server, and needs a file with authorities: add sslrootcert=FILE" : nil
    }

    /// Whether all hosts are sockets of this machine, over which there is no TLS.
    private var isLocal: Bool {
        if let host = parameters["host"] { return host.split(separator: ",").allSatisfy { $0.hasPrefix("/") } }
        guard parameters["hostaddr"] == nil, getenv("PGHOSTADDR") == nil else { return false }
        if hosts.isEmpty { return getenv("PGHOST") == nil }
        return hosts.allSatisfy(Self.isSocket)
    }

    /// Whether a host is the folder of a socket: a path, whose slashes are percent-encoded.
    private static func isSocket(_ host: Substring) -> Bool { host.hasPrefix("%2F") || host.hasPrefix("%2f") }

    /// Whether libpq would look in vain for those that it is to verify the server with (PostgreSQL, section 34.19.1).
    private var isWithoutAuthorities: Bool {
        guard parameters["sslmode"]?.hasPrefix("verify-") == true, parameters["service"] == nil,
            parameters["sslrootcert"] ?? "" == "", getenv("PGSSLROOTCERT") == nil, getenv("PGSERVICE") == nil,
            !isLocal, let home = getenv("HOME"), home.pointee != 0
        else { return false }
        return access(String(cString: home) + "/.postgresql/root.crt", R_OK) != 0
    }

    /// Values of `sslmode` (PostgreSQL, section 34.19.3), the weakest first.
    private static let sslModes = ["disable", "allow", "prefer", "require", "verify-ca", "verify-full"]
}
