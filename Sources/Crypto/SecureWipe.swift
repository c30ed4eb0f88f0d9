import COpenSSL

/// Overwriting of secrets in a way that the optimiser must keep.
public enum SecureWipe {
    /// Zeroes these bytes.
    public static func wipe(_ bytes: UnsafeMutableRawBufferPointer) {
        OPENSSL_cleanse(bytes.baseAddress, bytes.count)
    }

    /// Zeroes an array's storage. Only the storage of this very array: copies made before are the caller's business.
    public static func wipe(_ bytes: inout [UInt8]) {
        bytes.withUnsafeMutableBytes { wipe($0) }
    }

    /// Overwrites what functions that have returned may have left on the thread's stack below the caller. The frame of this
    /// function itself, a return address and a saved register, has overwritten what lies between.
    public static func wipeStack() { cloakroom_wipe_stack() }
}
