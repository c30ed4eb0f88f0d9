import Access
import AuditLog
public import Configuration
import EventIO
import Sensitive
import Vault
import VaultPostgres
import VaultSQLite

extension Configuration {
    /// Reads a configuration with all its forms, checked against the modules that the gateway is made of.
    ///
    /// - Parameters:
    ///   - file: its path; nil for the development default alone.
    ///   - overrides: what the command line sets; later ones win.
    ///   - servesRequests: false where forms are only evaluated: limits of requests do not apply, and neither certificates nor
    ///     keys are opened.
    ///   - running: what a process runs with that is to go on with this one.
    public static func load(
        file: String?, overrides: [Override] = [], servesRequests: Bool = true, running: Configuration? = nil
    ) -> LoadedConfiguration {
        load(file: file, overrides: overrides, servesRequests: servesRequests, running: running, with: .gateway)
    }
}

extension LoaderDependencies {
    /// The checks of the modules that the gateway is made of.
    public static let gateway = LoaderDependencies(
        vault: VaultChecks(
            aliasFormats: AliasFormat.allCases.map(format),
            databaseSuffixes: SQLiteStoreConfiguration.suffixes, exists: { SQLiteAliasStore.exists(at: $0) },
            masterKeyFault: { source in
                do {
                    _ = try MasterKey(source, generates: false)
                    return nil
                } catch { return "\(error)" }
            }, isDatabaseVerified: { PostgresURL($0)?.isServerVerified == true },
            databaseFault: { PostgresURL($0)?.fault(opensFiles: $1) }),
        tls: TLSChecks(
            authoritiesFault: { TLSFiles.fault(inAuthorities: $0) },
            certificateFault: { TLSFiles.fault(inCertificateChain: $0) },
            keyFault: { TLSFiles.fault(inPrivateKey: $0) }, expiries: { TLSFiles.expiries(inCertificates: $0) },
            beginnings: { TLSFiles.beginnings(inCertificates: $0) },
            identityFault: { TLSFiles.fault(inPrivateKey: $0, ofCertificateChain: $1) }),
        keySetFault: { IdentityProvider.fault(inKeys: $0) }, isAuditLog: { AuditFiles.isLog($0) },
        timeZoneExists: ZoneClock.exists, now: { SystemClock.seconds })

    private static func format(_ format: AliasFormat) -> Format {
        let room: Format.Room =
            format.isToken ? .always : format.isNarrow ? .never : .forSome { format.isWide(for: $0) }
        return Format(name: format.rawValue, isUnmistakable: format.isToken, room: room) {
            format.accepts($0)
        }
    }
}
