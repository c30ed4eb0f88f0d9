import Glibc

/// Reading of the log's files as bytes.
enum AuditBytes {
    /// The first bytes of a file; nil if it cannot be read.
    static func read(_ path: String, limit: Int) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        return read(descriptor, from: 0, count: limit)
    }

    /// The last bytes of a file, and where they begin; nil if it cannot be read.
    static func tail(_ path: String, limit: Int) -> (bytes: [UInt8], start: Int)? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        let size = Int(lseek(descriptor, 0, SEEK_END))
        guard size >= 0 else { return nil }
        let start = max(0, size - limit)
        return read(descriptor, from: start, count: size - start).map { ($0, start) }
    }

    /// Whether the last line of a file has no end.
    static func endsWithinLine(_ path: String) -> Bool {
        tail(path, limit: 1).map { $0.bytes != [] && $0.bytes != [0x0A] } ?? false
    }

    /// Bytes that are copied at once.
    private static let piece = 1 << 20

    /// Copies what stands in a file from a place on into another, for the owner alone, and syncs that. False if it fails; the other must
    /// not be there yet.
    static func copy(_ path: String, from start: Int, to other: String) -> Bool {
        let source = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard source >= 0 else { return false }
        defer { close(source) }
        let copy = open(other, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard copy >= 0 else { return false }
        var isWhole = false
        defer {
            close(copy)
            if !isWhole { unlink(other) }
        }
        var position = start
        while true {
            guard let bytes = read(source, from: position, count: piece), write(bytes, to: copy) else { return false }
            position += bytes.count
            if bytes.count < piece { break }
        }
        guard fsync(copy) == 0 else { return false }
        isWhole = true
        AuditFiles.syncEntry(of: other)
        return true
    }

    private static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        var written = 0
        while written < bytes.count {
            // Sound: the pointer is valid for the rest of `bytes` during the call.
            let count = bytes.withUnsafeBytes {
                Glibc.write(descriptor, $0.baseAddress?.advanced(by: written), bytes.count - written)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            written += count
        }
        return true
    }

    /// Up to `count` bytes; fewer at the end of the file; nil if they cannot be read.
    static func read(_ descriptor: Int32, from start: Int, count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        var filled = 0
        while filled < count {
            // Sound: the pointer is valid for the rest of `bytes` during the call.
            let step = bytes.withUnsafeMutableBytes {
                pread(descriptor, $0.baseAddress?.advanced(by: filled), count - filled, off_t(start + filled))
            }
            if step < 0, errno == EINTR { continue }
            guard step >= 0 else { return nil }
            if step == 0 { break }
            filled += step
        }
        bytes.removeLast(count - filled)
        return bytes
    }
}
