import CHiredis

/// Version of hiredis.
public enum RedisVersion {
    /// Loads the library; nil if it is not installed. Not thread-safe against opening a store (`cloakroom_redis_load`).
    public static var text: String? {
        guard cloakroom_redis_load() == nil else { return nil }
        return "\(HIREDIS_MAJOR).\(HIREDIS_MINOR).\(HIREDIS_PATCH)"
    }
}
