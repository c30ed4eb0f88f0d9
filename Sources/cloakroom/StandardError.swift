import Glibc

/// Messages for the terminal, separate from a command's output.
enum StandardError {
    static func print(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        write(STDERR_FILENO, bytes, bytes.count)
    }
}
