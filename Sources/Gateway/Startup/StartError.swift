/// Why a gateway does not start, in one line for the person who starts it.
public struct StartError: Error, CustomStringConvertible {
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}
