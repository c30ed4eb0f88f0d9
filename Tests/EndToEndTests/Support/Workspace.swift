import Foundation
import Synchronization

/// A folder of a test's own, gone after it.
final class Workspace: Sendable {
    let path: String

    /// Those of gateways that all tests share live until the tests end.
    private static let alive = Mutex<Set<String>>([])
    private static let removesAtExit: Void = {
        atexit { Workspace.alive.withLock { for path in $0 { try? FileManager.default.removeItem(atPath: path) } } }
    }()

    init() throws {
        _ = Self.removesAtExit
        path = FileManager.default.temporaryDirectory.appending(path: "cloakroom-\(UUID().uuidString)").path()
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        Self.alive.withLock { [path] in _ = $0.insert(path) }
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
        Self.alive.withLock { [path] in _ = $0.remove(path) }
    }

    func path(of name: String) -> String { "\(path)/\(name)" }

    /// Writes a file at once, as an editor does that replaces it.
    func write(_ text: String, to name: String) throws {
        let path = path(of: name)
        let folder = URL(filePath: path).deletingLastPathComponent().path()
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try Data(text.utf8).write(to: URL(filePath: path), options: .atomic)
    }

    func read(_ name: String) -> String {
        (FileManager.default.contents(atPath: path(of: name))).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    /// Every file below `folder`, with its bytes.
    func files(in folder: String) -> [(name: String, bytes: Data)] {
        let names = FileManager.default.enumerator(atPath: path(of: folder))?.compactMap { $0 as? String } ?? []
        return names.compactMap { name in
            FileManager.default.contents(atPath: path(of: "\(folder)/\(name)")).map { (name, $0) }
        }
    }
}
