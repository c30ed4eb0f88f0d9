import Foundation

/// A folder with files for one test, removed at its end.
public final class TemporaryFolder: Sendable {
    /// Without a slash at its end.
    public let path: String

    /// - Parameter files: their texts, by path in the folder.
    public init(_ files: [String: String] = [:]) throws {
        path = NSTemporaryDirectory() + "/gateway-\(UUID().uuidString)"
        for (name, text) in files { try write(text, to: name) }
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Writes a file, and makes the folders that it is in.
    public func write(_ text: String, to name: String) throws {
        let file = path + "/" + name
        let folder = String(file[..<(file.lastIndex(of: "/") ?? file.endIndex)])
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try Data(text.utf8).write(to: URL(fileURLWithPath: file))
    }
}
