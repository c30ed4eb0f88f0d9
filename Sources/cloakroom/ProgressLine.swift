import Gateway
import Glibc

/// Shows on stderr how far a command is: one line that is written over at a terminal, a line every ten seconds elsewhere.
struct ProgressLine {
    private let isTerminal = isatty(STDERR_FILENO) == 1
    private var progress: Progress
    private var isShown = false

    /// - Parameter name: what is being done.
    init(_ name: String) {
        progress = Progress(name, every: isTerminal ? 0.2 : 10)
    }

    mutating func show(_ done: Int, of total: Int) {
        guard let line = progress.line(done, of: total) else { return }
        guard isTerminal else { return StandardError.print(line) }
        // To the line's beginning, and what was there before is erased behind the text.
        StandardError.write("\r\(line)\u{1B}[K")
        isShown = true
    }

    /// Removes the line from the terminal, so that what follows stands alone.
    mutating func end() {
        if isShown { StandardError.write("\r\u{1B}[K") }
        isShown = false
    }
}
