public import Sensitive

/// What the loader asks of modules that it does not import: what the vault, TLS, the audit log and the time zones know.
public struct LoaderDependencies: Sendable {
    /// Checks of PEM files that TLS is to use. Each returns what is wrong; nil if the file can be used.
    public struct TLSChecks: Sendable {
        /// Of a file with authorities' certificates.
        public var authoritiesFault: @Sendable (_ path: String) -> String?
        /// Of a file with a certificate and its chain.
        public var certificateFault: @Sendable (_ path: String) -> String?
        /// Of a file with a private key.
        public var keyFault: @Sendable (_ path: String) -> String?
        /// When the certificates in a PEM file expire, in Unix seconds, in the order of the file; empty if there are none.
        public var expiries: @Sendable (_ path: String) -> [Int64]
        /// When they become valid, in Unix seconds, in the order of the file; empty if there are none.
        public var beginnings: @Sendable (_ path: String) -> [Int64]
        /// Of a private key with its certificate.
        public var identityFault: @Sendable (_ key: String, _ certificate: String) -> String?

        /// Every one is asked for: there is no default that would let a file pass unchecked.
        public init(
            authoritiesFault: @escaping @Sendable (_ path: String) -> String?,
            certificateFault: @escaping @Sendable (_ path: String) -> String?,
            keyFault: @escaping @Sendable (_ path: String) -> String?,
            expiries: @escaping @Sendable (_ path: String) -> [Int64],
            beginnings: @escaping @Sendable (_ path: String) -> [Int64],
            identityFault: @escaping @Sendable (_ key: String, _ certificate: String) -> String?
        ) {
            self.authoritiesFault = authoritiesFault
            self.certificateFault = certificateFault
            self.keyFault = keyFault
            self.expiries = expiries
            self.beginnings = beginnings
            self.identityFault = identityFault
        }
    }

    /// An alias format: its name, and whether an alias of it can stand for a value.
    public struct Format: Sendable {
        /// As configurations write it.
        public let name: String
        /// Whether an alias of this format can stand for a value.
        public let accepts: @Sendable (String) -> Bool
        /// Whether nothing but an alias looks like one of this format: `tok_…`, a UUID, `vgs…`.
        public let isUnmistakable: Bool
        /// Whether there are so many aliases for a value that it accepts that no process has to know those of others.
        public enum Room: Sendable {
            case always
            case forSome(@Sendable (_ value: String) -> Bool)
            case never
        }
        /// For which values there are so many aliases.
        public let room: Room

        /// One format.
        public init(
            name: String, isUnmistakable: Bool, room: Room = .always,
            accepts: @escaping @Sendable (String) -> Bool
        ) {
            self.name = name
            self.isUnmistakable = isUnmistakable
            self.room = room
            self.accepts = accepts
        }
    }

    /// What the vault knows.
    public struct VaultChecks: Sendable {
        /// All formats, in the order in which messages name them.
        public var aliasFormats: [Format]
        /// What the names of an embedded vault's files have behind the database's path.
        public var databaseSuffixes: [String]
        /// Whether there is a vault at the path of an SQLite database.
        public var exists: @Sendable (_ path: String) -> Bool
        /// Reads a master key without making it; what is wrong with it, or nil.
        public var masterKeyFault: @Sendable (MasterKeySource) -> String?
        /// Whether the server at a database URL must prove its name, or is on this machine.
        public var isDatabaseVerified: @Sendable (_ url: SensitiveText) -> Bool
        /// What is wrong with a database URL; nil if a connection can be tried. Looks for files that it names if `opensFiles`.
        public var databaseFault: @Sendable (_ url: SensitiveText, _ opensFiles: Bool) -> String?

        /// Those whose aliases are few for some values, by name.
        var narrowFormats: [String: @Sendable (String) -> Bool] {
            aliasFormats.reduce(into: [:]) { narrow, format in
                switch format.room {
                case .always: break
                case .forSome(let isWide): narrow[format.name] = isWide
                case .never: narrow[format.name] = { _ in false }
                }
            }
        }

        /// Every one is asked for: there is no default that would let a file pass unchecked.
        public init(
            aliasFormats: [Format], databaseSuffixes: [String],
            exists: @escaping @Sendable (_ path: String) -> Bool,
            masterKeyFault: @escaping @Sendable (MasterKeySource) -> String?,
            isDatabaseVerified: @escaping @Sendable (_ url: SensitiveText) -> Bool,
            databaseFault: @escaping @Sendable (_ url: SensitiveText, _ opensFiles: Bool) -> String?
        ) {
            self.aliasFormats = aliasFormats
            self.databaseSuffixes = databaseSuffixes
            self.exists = exists
            self.masterKeyFault = masterKeyFault
            self.isDatabaseVerified = isDatabaseVerified
            self.databaseFault = databaseFault
        }
    }

    /// What the vault knows.
    public var vault: VaultChecks
    /// Checks of files for TLS.
    public var tls: TLSChecks
    /// What is wrong with a file of public keys (RFC 7517); nil if it can be used.
    public var keySetFault: @Sendable (_ path: String) -> String?
    /// Whether a file is an audit log, of any vault, or empty.
    public var isAuditLog: @Sendable (_ path: String) -> Bool
    /// Whether there is an IANA time zone of that name.
    public var timeZoneExists: @Sendable (_ name: String) -> Bool
    /// Now, in Unix seconds.
    public var now: @Sendable () -> Int64

    /// Every one is asked for: there is no default that would let a file pass unchecked.
    public init(
        vault: VaultChecks, tls: TLSChecks,
        keySetFault: @escaping @Sendable (_ path: String) -> String?,
        isAuditLog: @escaping @Sendable (_ path: String) -> Bool,
        timeZoneExists: @escaping @Sendable (_ name: String) -> Bool, now: @escaping @Sendable () -> Int64
    ) {
        self.vault = vault
        self.tls = tls
        self.keySetFault = keySetFault
        self.isAuditLog = isAuditLog
        self.timeZoneExists = timeZoneExists
        self.now = now
    }
}
