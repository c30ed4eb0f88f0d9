/// A mistake in a configuration file, or a warning about something that is probably one.
public struct Mistake: Error, Sendable, CustomStringConvertible {
    /// The file's name; nil for a schema that came in a submission.
    public let file: String?
    /// Line in the file, from 1, where the parser has it.
    public let line: Int?
    /// The key path, as `fields[2].formatPattern`; empty for the file as a whole.
    public let path: String
    /// What is wrong and what is allowed.
    public let message: String

    /// A mistake at a place.
    public init(file: String?, line: Int?, path: String, message: String) {
        self.file = file
        self.line = line
        self.path = path
        self.message = message
    }

    /// `forms/checkout.yaml:14: fields[2].formatPatern: unknown key (formatPattern?)`
    ///
    /// One line of what can be shown, whatever keys and names of files are.
    public var description: String {
        var text = ""
        if let file { text += line.map { "\(file):\($0): " } ?? "\(file): " }
        if !path.isEmpty { text += "\(path): " }
        return printable(text + message)
    }
}

/// Collects every mistake and warning of one document while it is read, so that all are reported together.
public final class MistakeLog {
    /// The document's name for messages.
    public let file: String?
    /// In the order in which they were found.
    public private(set) var mistakes: [Mistake] = []
    /// In the order in which they were found.
    public private(set) var warnings: [Mistake] = []

    /// Mistakes of one file; nil: of the command line.
    public init(file: String?) {
        self.file = file
    }

    /// Logs what makes the file unusable.
    public func mistake(_ message: String, at path: String, line: Int?) {
        mistakes.append(Mistake(file: file, line: line, path: path, message: message))
    }

    /// Logs what may not have been meant.
    public func warning(_ message: String, at path: String, line: Int?) {
        warnings.append(Mistake(file: file, line: line, path: path, message: message))
    }
}
