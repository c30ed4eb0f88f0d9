import Glibc

/// Why a file that the configuration names cannot be used.
public enum FileError: Error, CustomStringConvertible {
    case missing
    case isFolder
    case notRegular
    case unreadable(errno: Int32)
    case tooLarge(limit: Int)
    case notUTF8

    public var description: String {
        switch self {
        case .missing: "no such file"
        case .isFolder: "is a folder, not a file"
        case .notRegular: "is not a regular file"
        case .unreadable(let code): "cannot be read: \(String(cString: strerror(code)))"
        case .tooLarge(let limit): "larger than \(limit) bytes"
        case .notUTF8: "not UTF-8"
        }
    }
}

/// The bytes of a file that is read as a whole, up to a limit.
public enum FileContents {
    /// No configuration file is larger: 4 MiB.
    static let limit = 4 << 20

    /// The bytes of a file; throws if there are more than `limit`.
    public static func bytes(of path: String, limit: Int = 4 << 20) throws(FileError) -> [UInt8] {
        // O_NONBLOCK: opening a pipe would otherwise wait for a writer.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
        guard descriptor >= 0 else { throw reason(errno) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .unreadable(errno: errno) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw status.st_mode & S_IFMT == S_IFDIR ? .isFolder : .notRegular
        }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            // Sound: the pointer is valid for `chunk.count` bytes during the call, and `read` keeps none of it.
            let count = chunk.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
            if count < 0 {
                if errno == EINTR { continue }
                throw .unreadable(errno: errno)
            }
            if count == 0 { return bytes }
            bytes.append(contentsOf: chunk.prefix(count))
            guard bytes.count <= limit else { throw .tooLarge(limit: limit) }
        }
    }

    /// A hash of what the file holds, keyed by a number that this process has drawn for itself: it tells other contents, and nothing of
    /// what they are. Nil if it cannot be read.
    static func hash(of path: String) -> Int? { (try? bytes(of: path))?.hashValue }

    /// Why a file could not be opened: sockets cannot, and devices without a driver.
    private static func reason(_ code: Int32) -> FileError {
        switch code {
        case ENOENT: .missing
        case ENXIO, ENODEV: .notRegular
        default: .unreadable(errno: code)
        }
    }

    static func text(of path: String, limit: Int = limit) throws(FileError) -> String {
        guard let text = String(validating: try bytes(of: path, limit: limit), as: UTF8.self) else { throw .notUTF8 }
        return text
    }
}
