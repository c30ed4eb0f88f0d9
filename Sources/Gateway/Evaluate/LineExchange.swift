import Glibc

/// Reads lines from one descriptor and writes a line for each to another. Output is flushed whenever the input pauses, so that a
/// program can wait for each line.
public struct LineExchange {
    /// The longest line, in bytes: 1 GiB, which is dozens of files of the maximum size in base64. Memory grows only
    /// with the line.
    public static let defaultLimit = 1 << 30
    private static let chunkSize = 1 << 16

    private let input: Int32
    private let output: Int32
    private let limit: Int

    /// A line of the input, without its end.
    public enum Line {
        case whole([UInt8])
        /// It has more bytes than the limit; none of them are kept.
        case tooLong(limit: Int)
    }

    /// Reading or writing failed, with the system's error number.
    public struct SystemError: Error, CustomStringConvertible {
        let isWriting: Bool
        let number: Int32
        public var description: String {
            "cannot \(isWriting ? "write the output" : "read the input"): \(String(cString: strerror(number)))"
        }
    }

    /// - Parameter limit: bytes of the longest line that is read as a whole.
    public init(input: Int32, output: Int32, limit: Int = defaultLimit) {
        self.input = input
        self.output = output
        self.limit = limit
    }

    /// Processes every line until the input ends; the last one needs no line end. Throws ``SystemError`` if reading fails, after the output
    /// for the lines before was written, or if writing fails.
    ///
    /// - Parameter process: returns the output for one line, without a line end.
    public func run(_ process: (Line) -> [UInt8]) throws(SystemError) {
        var line = Line.whole([])
        var output: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: Self.chunkSize)
        while true {
            let count = try readChunk(&chunk)
            if count == 0 { break }
            for part in Parts(chunk[..<count]) {
                line.append(part.bytes, limit: limit)
                guard part.endsLine else { continue }
                output += process(line)
                output.append(UInt8(ascii: "\n"))
                line.removeAll(keepingAtMost: Self.chunkSize)
            }
            try write(output)
            output.removeAll(keepingCapacity: true)
        }
        if case .whole(let bytes) = line, bytes.isEmpty { return }
        try write(process(line) + [UInt8(ascii: "\n")])
    }

    private func readChunk(_ chunk: inout [UInt8]) throws(SystemError) -> Int {
        while true {
            // Sound: the pointer is valid for the buffer's count during the call, and `read` keeps none of it.
            let count = chunk.withUnsafeMutableBytes { read(input, $0.baseAddress, $0.count) }
            if count >= 0 { return count }
            if errno != EINTR { throw SystemError(isWriting: false, number: errno) }
        }
    }

    private func write(_ bytes: [UInt8]) throws(SystemError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            // Sound: as above.
            let count = rest.withUnsafeBytes { Glibc.write(output, $0.baseAddress, $0.count) }
            if count < 0, errno != EINTR { throw SystemError(isWriting: true, number: errno) }
            rest = rest.dropFirst(max(count, 0))
        }
    }

    /// The pieces of a chunk, each up to a line end.
    private struct Parts: Sequence, IteratorProtocol {
        private var rest: ArraySlice<UInt8>

        init(_ chunk: ArraySlice<UInt8>) {
            rest = chunk
        }

        mutating func next() -> (bytes: ArraySlice<UInt8>, endsLine: Bool)? {
            guard !rest.isEmpty else { return nil }
            guard let end = rest.firstIndex(of: UInt8(ascii: "\n")) else {
                defer { rest = [] }
                return (rest, false)
            }
            defer { rest = rest[(end + 1)...] }
            return (rest[..<end], true)
        }
    }
}

extension LineExchange.Line {
    /// A line that is too long stays so until it ends.
    fileprivate mutating func append(_ more: ArraySlice<UInt8>, limit: Int) {
        guard case .whole(var bytes) = self else { return }
        guard bytes.count + more.count <= limit else {
            self = .tooLong(limit: limit)
            return
        }
        // `self` must not retain the bytes, or appending would copy them.
        self = .whole([])
        bytes += more
        self = .whole(bytes)
    }

    /// Begins the next line, and reuses the memory of this one unless it is large.
    fileprivate mutating func removeAll(keepingAtMost capacity: Int) {
        guard case .whole(var bytes) = self else {
            self = .whole([])
            return
        }
        self = .whole([])
        bytes.removeAll(keepingCapacity: bytes.count < capacity)
        self = .whole(bytes)
    }
}
