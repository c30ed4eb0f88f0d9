import Glibc

/// The process's limit on open files and sockets (`RLIMIT_NOFILE`).
public enum OpenFiles {
    /// The limit in force, or 0 if it cannot be read.
    public static var limit: Int {
        var limit = rlimit()
        return getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 ? Int(clamping: limit.rlim_cur) : 0
    }

    /// How many clients may be served with `files` open files: at most `configured`, and so many that 64 files and a quarter of
    /// all, or half of few, stay free for listeners, the vault, logs and upstreams. A tenth more clients are connected while they
    /// are told that there are too many, and 16 on top; for moments also 16, or an eighth of the files that are left then, up to 256.
    public static func clientLimit(configured: Int, files: Int) -> Int {
        guard files > 0 else { return configured }
        let reserved = min(files / 2, 64 + files / 4)
        return max(1, min(configured, (files - reserved - 16) / 11 * 10))
    }

    /// Raises the soft limit to the hard limit: the usual soft limit of 1,024 is below the server's own limit on connections.
    /// Returns the limit that is in force afterwards, or 0 if it cannot be read.
    @discardableResult
    public static func raiseLimit() -> Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 0 }
        if limit.rlim_cur < limit.rlim_max {
            limit.rlim_cur = limit.rlim_max
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        }
        return self.limit
    }
}
