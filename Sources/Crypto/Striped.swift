import Glibc

/// Several copies of a thing that only one thread may use at a time, so that threads seldom wait for each other. Each
/// thread keeps coming back to the same copy.
struct Striped<Copy: Sendable>: Sendable {
    private let copies: [Copy]

    /// Makes the copies.
    init(_ make: () throws(CryptoError) -> Copy) throws(CryptoError) {
        var copies: [Copy] = []
        for _ in 0..<4 { copies.append(try make()) }
        self.copies = copies
    }

    /// This thread's copy. Thread handles are addresses of page-aligned blocks, hence the shift and the mixing.
    var mine: Copy {
        let handle = UInt64(pthread_self()) >> 12 &* 0x9e37_79b9_7f4a_7c15
        return copies[Int(handle >> 62)]
    }
}
