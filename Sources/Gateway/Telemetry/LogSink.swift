public import EventIO
import Glibc
import Synchronization

/// Writes log lines to stderr in batches, on a thread of its own, so that a slow reader of the log never delays a request. Lines
/// that do not fit into the buffer or cannot be written are dropped and counted.
public final class LogSink: Sendable {
    private static let capacity = 4 << 20
    /// Microseconds for which lines are collected before they are written.
    private static let delay: UInt32 = 5_000
    /// Milliseconds that the end of the process waits for the log's reader.
    private static let endTimeout: Int32 = 1_000
    /// `PIPE_BUF` of Linux: bytes that a pipe accepts atomically.
    private static let pieceBytes = 4_096

    private struct Buffer {
        var bytes: [UInt8] = []
        var isScheduled = false
    }

    private let buffer = Mutex(Buffer())
    private let dropped = Atomic<Int>(0)
    private let thread: EventLoop

    /// Starts the thread that writes. Throws if that fails.
    public init() throws(IOError) {
        thread = try EventLoop(name: "log")
        try thread.start()
    }

    deinit { thread.stop() }

    /// Lines that did not fit into the buffer, or could not be written.
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

    /// Writes the buffer on the calling thread, and blocks until the reader has taken it.
    private func flush() { write(takeLines(), timeout: -1) }

    /// Writes the buffer at the end of the process; gives up if stderr has no reader.
    public func finish() {
        var bytes = takeLines()[...]
        while !bytes.isEmpty, Self.isWritable(within: Self.endTimeout) {
            // A pipe that polls as writable accepts this much without blocking.
            let piece = bytes.prefix(Self.pieceBytes)
            write(Array(piece), timeout: Self.endTimeout)
            bytes = bytes.dropFirst(piece.count)
        }
    }

    /// Waits until stderr takes bytes, `timeout` milliseconds at most; without an end if it is negative.
    private static func isWritable(within timeout: Int32) -> Bool {
        var place = pollfd(fd: STDERR_FILENO, events: Int16(POLLOUT), revents: 0)
        return poll(&place, 1, timeout) > 0
    }

    private func takeLines() -> [UInt8] {
        buffer.withLock { buffer in
            var taken: [UInt8] = []
            swap(&taken, &buffer.bytes)
            buffer.isScheduled = false
            return taken
        }
    }

    /// - Parameter timeout: of a wait for the reader, in milliseconds, where the process was started with a stderr that does not block.
    private func write(_ bytes: [UInt8], timeout: Int32) {
        var start = 0
        while start < bytes.count {
            // Sound: the pointer is valid for the rest of `bytes` during the call.
            let count = bytes[start...].withUnsafeBytes { Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
            if count > 0 {
                start += count
            } else if errno == EAGAIN, Self.isWritable(within: timeout) {
                continue
            } else if errno != EINTR {
                let lost = bytes[start...].count { $0 == UInt8(ascii: "\n") }
                dropped.add(lost, ordering: .relaxed)
                return
            }
        }
    }
}
