import Glibc

/// Keeps the memory of the process, where values are for a moment, out of files and of other processes' reach.
public enum ProcessHardening {
    /// No core dumps (PCI DSS 4.0, requirement 3.3: nothing sensitive is stored by accident), and no `ptrace` by processes
    /// of the same user. To be called before any secret is read.
    public static func apply() {
        var none = rlimit(rlim_cur: 0, rlim_max: 0)
        setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
        makeUndumpable()
        lockMemory()
        // A file that has reached the limit on its size is an error of the write, not the end of the process.
        signal(SIGXFSZ, SIG_IGN)
    }

    /// `RLIMIT_MEMLOCK` and `MCL_ONFAULT` of Linux on x86-64 and AArch64; Swift sees neither.
    private static let lockedMemory: UInt32 = 8
    private static let lockOnFault: Int32 = 4

    /// Keeps what is in memory from being swapped out, where the system allows to lock all of it: with a limit that is
    /// reached later, allocations would fail. Pages count as they are first used, so the
    /// process grows no larger. Elsewhere values are safe at rest, for those that stay are sealed, but a key may be swapped.
    private static func lockMemory() {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(lockedMemory), &limit) == 0 else { return }
        // With the small limit that is usual the call fails, unless a capability lifts it; one between could be reached.
        guard limit.rlim_cur == .max || limit.rlim_cur <= 8 << 20 else { return }
        _ = mlockall(MCL_CURRENT | MCL_FUTURE | lockOnFault)
    }

    /// `PR_SET_DUMPABLE` of `<linux/prctl.h>`.
    private static let setDumpable: Int32 = 4

    /// `prctl` is variadic, so Swift cannot import it; it is looked up instead. Sound: on Linux a variadic function takes its
    /// integer arguments where a fixed one does, and this option reads one argument.
    private static func makeUndumpable() {
        typealias Control = @convention(c) (Int32, UInt, UInt, UInt, UInt) -> Int32
        guard let symbol = dlsym(nil, "prctl") else { return }
        let control = unsafeBitCast(symbol, to: Control.self)
        _ = control(setDumpable, 0, 0, 0, 0)
    }
}
