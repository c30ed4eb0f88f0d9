import CPostgres

/// Version of libpq.
public enum PostgresVersion {
    /// Loads the library; nil if it is not installed. Not thread-safe against opening a store (`cloakroom_pq_load`).
    public static var text: String? {
        guard cloakroom_pq_load() == nil else { return nil }
        let version = cloakroom_pq_library_version()
        return "\(version / 10_000).\(version % 10_000)"
    }
}
