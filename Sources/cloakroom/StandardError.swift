import Glibc

/// Lines for the person at the terminal, apart from what a command answers.
enum StandardError {
    static func print(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        write(STDERR_FILENO, bytes, bytes.count)
    }
}
