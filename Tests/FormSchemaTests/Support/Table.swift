import Testing

/// One row of a table that is written as in the references: a line of column names, then a line a row, cells separated by
/// ` | `. Spaces around a cell do not count; text in backticks is exact, so that `` is the empty text; `␤` stands for a
/// line feed.
struct Row: Sendable, CustomTestStringConvertible {
    private let cells: [String: String]
    private let line: String

    init(columns: [String], line: String) {
        let texts = Row.split(line)
        precondition(texts.count == columns.count, "a row has another number of cells than the heading: \(line)")
        cells = Dictionary(uniqueKeysWithValues: zip(columns, texts))
        self.line = line
    }

    subscript(_ column: String) -> String {
        guard let cell = cells[column] else { preconditionFailure("no column \(column)") }
        return cell
    }

    /// A cell that says yes or no.
    func flag(_ column: String) -> Bool {
        precondition(["yes", "no"].contains(self[column]), "neither yes nor no: \(line)")
        return self[column] == "yes"
    }

    /// A cell of names separated by spaces.
    func list(_ column: String) -> [String] { self[column].split(separator: " ").map(String.init) }

    /// A cell of error strings without the ending that all of them have.
    func errors(_ column: String = "errors") -> [String] { list(column).map(Row.error) }

    static func error(_ short: String) -> String {
        short.hasPrefix("=")
            ? String(short.dropFirst()) : short == "VALIDATION" ? "VALIDATION_ERROR" : short + "_VALIDATION_ERROR"
    }

    var testDescription: String { line }

    private static func trimmed(_ cell: Substring.UnicodeScalarView) -> Substring.UnicodeScalarView {
        var rest = cell
        while rest.first == " " { rest = rest.dropFirst() }
        while rest.last == " " { rest = rest.dropLast() }
        return rest
    }

    static func split(_ line: String) -> [String] {
        line.split(separator: " | ", omittingEmptySubsequences: false).map { cell in
            let scalars = trimmed(Substring(cell.map { $0 == "␤" ? "\n" : $0 }).unicodeScalars)
            // Scalars, not characters: a combining mark would join the backtick before it.
            return scalars.count >= 2 && scalars.first == "`" && scalars.last == "`"
                ? String(scalars.dropFirst().dropLast()) : String(scalars)
        }
    }
}

/// The rows of a table.
func table(_ text: String) -> [Row] {
    let lines = text.split(separator: "\n").map(String.init)
    guard let heading = lines.first else { return [] }
    let columns = Row.split(heading)
    return lines.dropFirst().map { Row(columns: columns, line: $0) }
}
