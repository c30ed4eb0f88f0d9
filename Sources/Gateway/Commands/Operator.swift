import Glibc

/// The person at the terminal, for the audit log.
enum Operator {
    /// `operator <name of the system's user>`.
    static var name: String {
        let id = getuid()
        var entry = passwd()
        var found: UnsafeMutablePointer<passwd>?
        var buffer = [CChar](repeating: 0, count: 4_096)
        // Sound: the name points into the buffer, which lives until the text was made.
        let text: String? = buffer.withUnsafeMutableBufferPointer { buffer in
            guard let start = buffer.baseAddress, getpwuid_r(id, &entry, start, buffer.count, &found) == 0,
                found != nil,
                let name: UnsafeMutablePointer<CChar> = entry.pw_name
            else { return nil }
            return String(cString: name)
        }
        return "operator \(text ?? String(id))"
    }
}
