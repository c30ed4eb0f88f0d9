import Crypto
import Glibc
import Synchronization

/// Keeps the memory of the process, which contains values for short times, out of files and from other processes.
public enum ProcessHardening {
    /// No core dumps (PCI DSS 4.0, requirement 3.3: nothing sensitive is stored by accident), and no `ptrace` by processes
    /// of the same user. Must be called before any secret is read.
    public static func apply() {
        openStandardDescriptors()
        var none = rlimit(rlim_cur: 0, rlim_max: 0)
        setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
        makeUndumpable()
        endWithoutBacktrace()
        // Before OpenSSL allocates anything.
        KeyMemory.install()
        lockMemory()
        // A write beyond RLIMIT_FSIZE should return an error, not end the process.
        signal(SIGXFSZ, SIG_IGN)
    }

    /// Started without one of the first three files, the process would open the vault or a socket under its number, and write its log there.
    private static func openStandardDescriptors() {
        for descriptor in 0...2 as ClosedRange<Int32> where fcntl(descriptor, F_GETFD) < 0 {
            if descriptor == STDOUT_FILENO { lacksOutput.store(true, ordering: .relaxed) }
            // The lowest number that is free. What a command prints is not taken for written.
            _ = open("/dev/null", descriptor == STDOUT_FILENO ? O_RDONLY : O_RDWR)
        }
    }

    /// Whether the process was started without a standard output.
    public static var hasNoOutput: Bool { lacksOutput.load(ordering: .relaxed) }
    private static let lacksOutput = Atomic(false)

    /// Whether all memory is locked: nothing of it is swapped out.
    static var isMemoryLocked: Bool { memoryIsLocked.load(ordering: .relaxed) }
    private static let memoryIsLocked = Atomic(false)

    /// `RLIMIT_MEMLOCK` and `MCL_ONFAULT` of Linux on x86-64 and AArch64; Swift sees neither.
    private static let lockedMemory: UInt32 = 8
    private static let lockOnFault: Int32 = 4

    /// Locks all memory against swapping, if the system allows to lock any amount: with a limit that is reached later, allocations
    /// would fail. Pages are locked when they are first used, so the process does not grow. Where this is not possible, values of the
    /// moment may be swapped out, and the gateway warns of it at start; keys have locked pages of their own (``KeyMemory``), and
    /// what is stored or VOLATILE is sealed.
    private static func lockMemory() {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(lockedMemory), &limit) == 0 else { return }
        if limit.rlim_max == .max, limit.rlim_cur != .max {
            limit.rlim_cur = .max
            guard setrlimit(__rlimit_resource_t(lockedMemory), &limit) == 0 else { return }
        }
        // With the usual small limit the call fails, unless the process has CAP_IPC_LOCK. A limit in between could be reached later.
        guard limit.rlim_cur == .max || limit.rlim_cur <= 8 << 20 else { return }
        let isLocked = mlockall(MCL_CURRENT | MCL_FUTURE | lockOnFault) == 0
        memoryIsLocked.store(isLocked, ordering: .relaxed)
    }

    /// Where Swift's tools are installed, its runtime writes what the registers point to into the log when the process ends by a fault:
    /// 16 bytes each, enough for a card number.
    private static func endWithoutBacktrace() {
        for fault in [SIGQUIT, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP] { signal(fault, SIG_DFL) }
    }

    /// `PR_SET_DUMPABLE` of `<linux/prctl.h>`.
    private static let setDumpable: Int32 = 4

    /// `prctl` is variadic, so Swift cannot import it; it is looked up instead. Sound: on Linux a variadic function takes its
    /// integer arguments as a fixed one does, and this option reads one argument.
    private static func makeUndumpable() {
        typealias Control = @convention(c) (Int32, UInt, UInt, UInt, UInt) -> Int32
        guard let symbol = dlsym(nil, "prctl") else { return }
        let control = unsafeBitCast(symbol, to: Control.self)
        _ = control(setDumpable, 0, 0, 0, 0)
    }
}
