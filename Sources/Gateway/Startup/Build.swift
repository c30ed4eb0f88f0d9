import CBuild
import EventIO
import FormSchema
import VaultPostgres
import VaultSQLite
import VolatileRedis

/// What was built: for `cloakroom --version` and the metric `cloakroom_build_info`.
public enum Build {
    /// Semantic version of the product.
    public static let version = "1.0.0"

    /// The Git commit that `make` has built, with `-dirty` behind it if files were changed; nil if it is not known, as after a
    /// plain `swift build`.
    public static var commit: String? {
        let text = String(cString: cloakroom_commit())
        return text.isEmpty ? nil : text
    }

    /// The lines of `cloakroom --version`. Loads libpq to ask for its version, if it is installed.
    public static var lines: [String] {
        let libraries = [
            "libevent \(LibraryVersions.libevent)", "OpenSSL \(LibraryVersions.openSSL)",
            "SQLite \(SQLiteVersion.text)", "PCRE2 \(PatternLibrary.version)",
            "libpq \(PostgresVersion.text ?? "not installed")", "hiredis \(RedisVersion.text ?? "not installed")",
        ]
        return ["cloakroom \(version)", "commit \(commit ?? "unknown")"] + libraries
    }

    static func write(into text: inout MetricsText) {
        text.begin("cloakroom_build_info", .gauge, "Version and commit of the running binary; the value is always 1.")
        text.sample(["version": version, "commit": commit ?? "unknown"], 1)
    }
}
