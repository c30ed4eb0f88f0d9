import Glibc

/// Lines in on one descriptor, lines out on another. Answers are written whenever the input pauses, so that a program can
/// ask and wait for each one.
public struct LineExchange {
    /// The longest line, in bytes: a file of the greatest size in base64, with room for the rest.
    private static let longestLine = 64 << 20
    private static let chunkSize = 1 << 16

    private let input: Int32
    private let output: Int32

    /// Reading or writing failed, with the system's error number.
    public struct Failure: Error, CustomStringConvertible {
        let number: Int32
        public var description: String { String(cString: strerror(number)) }
    }

    public init(input: Int32, output: Int32) {
        self.input = input
        self.output = output
    }

    /// Answers every line until the input ends; a last line without a line end counts.
    ///
    /// - Parameter answer: the answer to one line, both without a line end. A line that is too long is handed over cut,
    ///   so that it is answered as the broken line that it then is.
    public func run(_ answer: ([UInt8]) -> [UInt8]) throws(Failure) {
        var line: [UInt8] = []
        var answers: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: Self.chunkSize)
        while true {
            let count = try readChunk(&chunk)
            if count == 0 { break }
            for part in Parts(chunk[..<count]) {
                if line.count + part.bytes.count <= Self.longestLine { line += part.bytes } else { line.removeAll() }
                guard part.endsLine else { continue }
                answers += answer(line)
                answers.append(UInt8(ascii: "\n"))
                line.removeAll(keepingCapacity: line.count < Self.chunkSize)
            }
            try write(answers)
            answers.removeAll(keepingCapacity: true)
        }
        guard !line.isEmpty else { return }
        try write(answer(line) + [UInt8(ascii: "\n")])
    }

    private func readChunk(_ chunk: inout [UInt8]) throws(Failure) -> Int {
        while true {
            // Sound: the pointer is valid for the buffer's count during the call, and `read` keeps none of it.
            let count = chunk.withUnsafeMutableBytes { read(input, $0.baseAddress, $0.count) }
            if count >= 0 { return count }
            if errno != EINTR { throw Failure(number: errno) }
        }
    }

    private func write(_ bytes: [UInt8]) throws(Failure) {
        var rest = bytes[...]
        while !rest.isEmpty {
            // Sound: as above.
            let count = rest.withUnsafeBytes { Glibc.write(output, $0.baseAddress, $0.count) }
            if count < 0, errno != EINTR { throw Failure(number: errno) }
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
