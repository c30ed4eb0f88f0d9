/// What a stream waits for.
public struct Interest: OptionSet, Sendable {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Bytes, the end of the stream, or an error can be read.
    public static let read = Interest(rawValue: 1)
    /// There is room to write, or an error to be told.
    public static let write = Interest(rawValue: 2)
}
