import Glibc

/// Messages for the terminal, separate from a command's output.
enum StandardError {
    static func print(_ line: String) { write(line + "\n") }

    static func write(_ text: String) {
        let bytes = Array(text.utf8)
        Glibc.write(STDERR_FILENO, bytes, bytes.count)
    }
}
