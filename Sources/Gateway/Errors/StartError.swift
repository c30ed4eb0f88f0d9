/// Why a command cannot start, in one line for the terminal.
public struct StartError: Error, CustomStringConvertible {
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}
