/// The files of one log: those that were set aside, oldest first, and the current one.
enum AuditFiles {
    /// Digits of the number in the name of a file that was set aside: enough for names to sort like numbers.
    private static let digits = 16

    static func rotated(_ path: String, endingAt sequence: Int) -> String {
        let number = String(sequence)
        return path + "." + String(repeating: "0", count: max(0, digits - number.utf8.count)) + number
    }

    static func rotated(_ path: String) -> [String] {
        let folder = FilePath.folder(of: path)
        let prefix = (path.split(separator: "/").last.map(String.init) ?? path) + "."
        let names = (FilePath.entries(of: folder) ?? []).filter { name in
            let number = name.dropFirst(prefix.count)
            return name.hasPrefix(prefix) && number.count == digits && number.allSatisfy { $0.isASCII && $0.isNumber }
        }
        return names.map { FilePath.join(folder, $0) }
    }

    /// All of them that are there.
    static func all(_ path: String) -> [String] { rotated(path) + (FilePath.exists(path) ? [path] : []) }

    /// Whether a file is a log, of whatever vault: one of its first lines begins as lines do, or there is nothing in it.
    static func isLog(_ path: String) -> Bool {
        guard let bytes = AuditBytes.read(path, limit: 65_536) else { return false }
        return bytes.split(separator: 0x0A).contains { AuditLine.begins($0) } || AuditLine.isBeginning(bytes)
    }
}
