/// Storage that a cipher fills in place, so that no second copy of a plain text is made.
enum Sealed {
    /// `size` bytes that `fill` has written.
    static func bytes(
        _ size: Int, _ fill: (UnsafeMutableBufferPointer<UInt8>) -> Bool
    ) throws(CryptoError) -> [UInt8] {
        var isDone = false
        let bytes = [UInt8](unsafeUninitializedCapacity: size) { output, count in
            isDone = fill(UnsafeMutableBufferPointer(rebasing: output[..<size]))
            if !isDone { output.update(repeating: 0) }
            count = size
        }
        guard isDone else { throw .failed("AES-256-GCM encryption") }
        return bytes
    }

    /// A text of `size` bytes that `fill` has written; `nil` if it returned false, or if there cannot be so many.
    static func text(_ size: Int, _ fill: (UnsafeMutableBufferPointer<UInt8>) -> Bool) -> String? {
        guard size >= 0, size < Int(Int32.max) else { return nil }
        var isAuthentic = false
        let text = String(unsafeUninitializedCapacity: max(size, 1)) { output in
            isAuthentic = fill(output)
            return isAuthentic ? size : 0
        }
        return isAuthentic ? text : nil
    }

    /// The same for bytes.
    static func plainBytes(_ size: Int, _ fill: (UnsafeMutableBufferPointer<UInt8>) -> Bool) -> [UInt8]? {
        guard size >= 0, size < Int(Int32.max) else { return nil }
        var isAuthentic = false
        let bytes = [UInt8](unsafeUninitializedCapacity: max(size, 1)) { output, count in
            isAuthentic = fill(output)
            count = isAuthentic ? size : 0
        }
        return isAuthentic ? bytes : nil
    }
}
