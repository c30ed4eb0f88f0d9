import Glibc

/// The process's limit on open files and sockets (`RLIMIT_NOFILE`).
public enum OpenFiles {
    /// Raises the soft limit to the hard limit: the usual soft limit of 1,024 is below the server's own limit on connections.
    /// Returns the limit that is in force afterwards, or 0 if it cannot be read.
    @discardableResult
    public static func raiseLimit() -> Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 0 }
        if limit.rlim_cur < limit.rlim_max {
            limit.rlim_cur = limit.rlim_max
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        }
        return Int(clamping: limit.rlim_cur)
    }
}
