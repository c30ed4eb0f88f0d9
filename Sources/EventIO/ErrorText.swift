import Glibc

/// The system's text for an error number, by the thread-safe variant of `strerror`.
func errorText(_ number: Int32) -> String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 128) { buffer in
        guard let start = buffer.baseAddress, strerror_r(number, start, buffer.count) == 0 else {
            return "error \(number)"
        }
        return String(cString: start)
    }
}
