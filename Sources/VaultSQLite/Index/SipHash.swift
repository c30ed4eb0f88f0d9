/// SipHash-2-4 (Aumasson, Bernstein 2012): a keyed hash for short inputs, whose collisions cannot be made by somebody without the key.
struct SipHash: Sendable {
    private let key: (UInt64, UInt64)

    /// Takes a key of 16 bytes; `nil` if it has another length.
    init?(key: [UInt8]) {
        guard key.count == 16 else { return nil }
        self.key = key.withUnsafeBytes { bytes in
            (
                UInt64(littleEndian: bytes.loadUnaligned(as: UInt64.self)),
                UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
            )
        }
    }

    /// The 64-bit hash of a message.
    func hash(_ message: UnsafeRawBufferPointer) -> UInt64 {
        var state = State(key)
        let words = message.count / 8
        for index in 0..<words {
            state.add(UInt64(littleEndian: message.loadUnaligned(fromByteOffset: index * 8, as: UInt64.self)))
        }
        var last = UInt64(truncatingIfNeeded: message.count) << 56
        for (index, byte) in message[(words * 8)...].enumerated() { last |= UInt64(byte) << UInt64(index * 8) }
        state.add(last)
        return state.finish()
    }

    private struct State {
        var v0, v1, v2, v3: UInt64

        init(_ key: (UInt64, UInt64)) {
            v0 = key.0 ^ 0x736f_6d65_7073_6575
            v1 = key.1 ^ 0x646f_7261_6e64_6f6d
            v2 = key.0 ^ 0x6c79_6765_6e65_7261
            v3 = key.1 ^ 0x7465_6462_7974_6573
        }

        mutating func add(_ word: UInt64) {
            v3 ^= word
            round()
            round()
            v0 ^= word
        }

        mutating func finish() -> UInt64 {
            v2 ^= 0xff
            for _ in 0..<4 { round() }
            return v0 ^ v1 ^ v2 ^ v3
        }

        private mutating func round() {
            v0 &+= v1
            v1 = rotate(v1, 13) ^ v0
            v0 = rotate(v0, 32)
            v2 &+= v3
            v3 = rotate(v3, 16) ^ v2
            v0 &+= v3
            v3 = rotate(v3, 21) ^ v0
            v2 &+= v1
            v1 = rotate(v1, 17) ^ v2
            v2 = rotate(v2, 32)
        }

        private func rotate(_ word: UInt64, _ count: UInt64) -> UInt64 { word << count | word >> (64 - count) }
    }
}
