import Glibc

/// Paths as text: what a configuration needs of them.
public enum FilePath {
    /// `path` as seen from `folder`; an absolute path stays what it is.
    static func join(_ folder: String, _ path: String) -> String {
        if path.hasPrefix("/") || folder.isEmpty || folder == "." { return path }
        return folder.hasSuffix("/") ? folder + path : folder + "/" + path
    }

    /// The folder that holds `path`; `.` for a bare name.
    static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// Whether two paths name one file. Links are not followed.
    static func isSame(_ one: String, _ other: String) -> Bool { segments(of: one) == segments(of: other) }

    /// `path` from the root. Links are not followed.
    public static func absolute(_ path: String) -> String { "/" + segments(of: path).joined(separator: "/") }

    /// The segments of `path` from the root, without `.` and `..`.
    private static func segments(of path: String) -> [Substring] {
        var segments: [Substring] = []
        if !path.hasPrefix("/"), let folder = getcwd(nil, 0) {
            segments = String(cString: folder).split(separator: "/").map { $0 }
            free(folder)
        }
        for segment in path.split(separator: "/") where segment != "." {
            if segment == ".." { _ = segments.popLast() } else { segments.append(segment) }
        }
        return segments
    }

    /// Whether something is there.
    public static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    static func isReadable(_ path: String) -> Bool { access(path, R_OK) == 0 }

    /// Whether it is a folder.
    public static func isFolder(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// Whether it is there and neither a file nor a folder: a pipe, a socket or a device.
    static func isSpecial(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && ![S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT)
    }

    /// Why there is no file to open; nil if there is one.
    static func fault(inFile path: String) -> FileError? {
        if !exists(path) { return .missing }
        if isFolder(path) { return .isFolder }
        return isSpecial(path) ? .notRegular : nil
    }

    /// Names of the entries of a folder, sorted by their bytes; nil if it cannot be read.
    static func entries(of folder: String) -> [String]? {
        guard let stream = opendir(folder) else { return nil }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            // Sound: `d_name` is a NUL-terminated array inside the entry, which lives until the next `readdir`.
            let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }
}
