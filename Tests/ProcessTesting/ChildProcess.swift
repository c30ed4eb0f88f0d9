import Foundation
public import Glibc
import Synchronization

/// A process of this test run: its standard input and output are pipes, its standard error is a file. It inherits no other descriptor, or
/// what this process closes would stay open in it.
///
/// Not Foundation's: that one reads the list of open descriptors to start a process, and beyond its end where they are many.
///
/// `@unchecked Sendable`: a test may kill from one thread what it waits for on another; the rest belongs to one thread.
public final class ChildProcess: @unchecked Sendable {
    /// How a process ended.
    public enum End: Equatable, Sendable {
        case exit(Int32)
        case signal(Int32)
    }

    /// Why a process cannot be started or does not do what it should.
    public struct Failure: Error, CustomStringConvertible {
        public let description: String

        init(_ description: String) { self.description = description }
    }

    public let pid: pid_t
    private let silence: Int32
    private var input: Int32?
    private let output: Int32
    private var pending: [UInt8] = []
    private var end: End?

    /// Processes that still run when the tests end are killed with them.
    private static let alive = Mutex<Set<pid_t>>([])
    private static let killsAtExit: Void = {
        // Writing to a process that has ended is an error, not the end of the tests.
        Glibc.signal(SIGPIPE, SIG_IGN)
        atexit {
            ChildProcess.alive.withLock { pids in
                for pid in pids { kill(pid, SIGKILL) }
                // None may write any more once its folder is removed.
                for pid in pids { waitpid(pid, nil, 0) }
            }
        }
    }()

    /// - Parameters:
    ///   - errors: path of the file that standard error is appended to.
    ///   - environment: added to the tests' own.
    ///   - silence: for how many milliseconds it may say nothing to who reads. Compilers and browsers say nothing for long on a machine
    ///     that has much to do.
    public init(
        _ path: String, _ arguments: [String], errors: String, environment: [String: String] = [:],
        silence: Int32 = 120_000
    ) throws(Failure) {
        _ = Self.killsAtExit
        var toChild: [Int32] = [0, 0]
        var fromChild: [Int32] = [0, 0]
        guard pipe(&toChild) == 0, pipe(&fromChild) == 0 else { throw Failure("no pipe") }
        for descriptor in [toChild[1], fromChild[0]] { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, toChild[0], 0)
        posix_spawn_file_actions_adddup2(&actions, fromChild[1], 1)
        posix_spawn_file_actions_addopen(&actions, 2, errors, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        try Self.closeOthers(&actions)
        let variables = ProcessInfo.processInfo.environment.merging(environment) { _, new in new }
        var pid: pid_t = 0
        let words = ([path] + arguments).map { strdup($0) } + [nil]
        let settings = variables.map { strdup("\($0.key)=\($0.value)") } + [nil]
        let outcome = posix_spawn(&pid, path, &actions, nil, words, settings)
        for word in words + settings { free(word) }
        close(toChild[0])
        close(fromChild[1])
        guard outcome == 0 else { throw Failure("cannot start \(path): \(String(cString: strerror(outcome)))") }
        (self.pid, self.silence, input, output) = (pid, silence, toChild[1], fromChild[0])
        Self.alive.withLock { _ = $0.insert(pid) }
    }

    /// The child closes what is behind its standard streams (glibc 2.34, which its Swift module leaves out).
    private static func closeOthers(_ actions: inout posix_spawn_file_actions_t) throws(Failure) {
        typealias Add = @convention(c) (UnsafeMutablePointer<posix_spawn_file_actions_t>, Int32) -> Int32
        guard let function = dlsym(nil, "posix_spawn_file_actions_addclosefrom_np") else {
            throw Failure("no glibc 2.34")
        }
        // Sound: this is the function's type in spawn.h.
        _ = unsafeBitCast(function, to: Add.self)(&actions, 3)
    }

    deinit {
        finish()
        endInput()
        close(output)
    }

    /// Kills it, if it still runs.
    public func finish() {
        guard end == nil else { return }
        kill(pid, SIGKILL)
        _ = try? wait()
    }

    /// Writes to its standard input.
    public func send(_ text: String) throws(Failure) {
        guard let input else { throw Failure("its input has ended") }
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(input, $0.baseAddress, $0.count) }
            guard count > 0 else { throw Failure("the process takes no input") }
            rest = rest.dropFirst(count)
        }
    }

    /// Nothing more will be sent.
    public func endInput() {
        if let input { close(input) }
        input = nil
    }

    /// The next line of standard output; nil at its end.
    public func readLine() throws(Failure) -> String? {
        while true {
            if let end = pending.firstIndex(of: 0x0A) {
                let line = String(decoding: pending[..<end], as: UTF8.self)
                pending.removeSubrange(...end)
                return line
            }
            guard try readMore() else {
                guard !pending.isEmpty else { return nil }
                defer { pending = [] }
                return String(decoding: pending, as: UTF8.self)
            }
        }
    }

    /// Everything to the end of standard output.
    public func readToEnd() throws(Failure) -> String {
        while try readMore() {}
        defer { pending = [] }
        return String(decoding: pending, as: UTF8.self)
    }

    private func readMore() throws(Failure) -> Bool {
        var poll = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
        guard Glibc.poll(&poll, 1, silence) == 1 else { throw Failure("the process says nothing") }
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        let count = read(output, &chunk, chunk.count)
        guard count > 0 else { return false }
        pending += chunk[..<count]
        return true
    }

    /// Sends a signal.
    public func signal(_ number: Int32) { kill(pid, number) }

    /// How the process ended. What it still has to say is read first, so that a full pipe cannot hold it.
    @discardableResult
    public func wait() throws(Failure) -> End {
        if let end { return end }
        while try readMore() {}
        var status: Int32 = 0
        while waitpid(pid, &status, 0) < 0, errno == EINTR {}
        _ = Self.alive.withLock { $0.remove(pid) }
        let signal = status & 0x7F
        let end = signal == 0 ? End.exit((status >> 8) & 0xFF) : .signal(signal)
        self.end = end
        return end
    }
}
