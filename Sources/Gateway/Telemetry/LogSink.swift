public import EventIO
import Glibc
import Synchronization

/// Writes log lines to stderr, a batch at a time and on a thread of its own, so that a slow reader of the log never holds up
/// a request. What does not fit the buffer is dropped and counted.
public final class LogSink: Sendable {
    private static let capacity = 4 << 20
    /// How long lines are collected before they are written.
    private static let delay: UInt32 = 5_000

    private struct Buffer {
        var bytes: [UInt8] = []
        var isScheduled = false
    }

    private let buffer = Mutex(Buffer())
    private let dropped = Atomic<Int>(0)
    private let thread: EventLoop

    public init() throws(IOError) {
        thread = try EventLoop(name: "log")
        try thread.start()
    }

    /// Lines that did not fit.
    var droppedLines: Int { dropped.load(ordering: .relaxed) }

    /// Adds one line, its line break included.
    func append(_ line: [UInt8]) {
        let mustSchedule: Bool = buffer.withLock { buffer in
            guard buffer.bytes.count + line.count <= Self.capacity else {
                dropped.add(1, ordering: .relaxed)
                return false
            }
            buffer.bytes.append(contentsOf: line)
            defer { buffer.isScheduled = true }
            return !buffer.isScheduled
        }
        guard mustSchedule else { return }
        thread.execute { [self] in
            usleep(Self.delay)
            flush()
        }
    }

    /// Writes what is there now, on the calling thread.
    public func flush() {
        let bytes = buffer.withLock { buffer in
            var taken: [UInt8] = []
            swap(&taken, &buffer.bytes)
            buffer.isScheduled = false
            return taken
        }
        var start = 0
        while start < bytes.count {
            // Sound: the pointer is valid for the rest of `bytes` during the call.
            let count = bytes[start...].withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
            if count > 0 { start += count } else if errno != EINTR { return }
        }
    }
}
