import Foundation

/// Where things are that the tests use.
enum Place {
    /// The project's folder.
    static let project = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().path()

    /// The gateway's binary, built into the same folder as this test bundle.
    static let binary: String = {
        let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        let places = ([own] + CommandLine.arguments).filter { $0.contains(".xctest") }
        let candidates = places.map { place in
            var folder = URL(filePath: place)
            repeat { folder.deleteLastPathComponent() } while folder.path().contains(".xctest")
            return folder.appending(path: "cloakroom").path()
        }
        return candidates.first { FileManager.default.isExecutableFile(atPath: $0) } ?? "no binary beside the tests"
    }()
}

/// A test's surroundings are not as they should be.
struct Trouble: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
