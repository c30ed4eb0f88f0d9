import Glibc

/// A command's output. Unlike `print`, which does not say whether anything was written, a write that fails is an error: a script
/// must not take half of a document, or none, for the whole.
enum StandardOutput {
    /// Standard output takes nothing more.
    struct Failure: Error, CustomStringConvertible {
        let number: Int32
        var description: String { "cannot write to standard output: \(String(cString: strerror(number)))" }
    }

    /// Writes a line, at once.
    static func print(_ line: String) throws(Failure) { try write(Array((line + "\n").utf8)) }

    static func write(_ bytes: [UInt8]) throws(Failure) {
        var rest = bytes[...]
        while !rest.isEmpty {
            // Sound: the pointer is valid for the slice's count during the call, and `write` keeps none of it.
            let count = rest.withUnsafeBytes { Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
            if count < 0, errno != EINTR { throw Failure(number: errno) }
            rest = rest.dropFirst(max(count, 0))
        }
    }
}
