import COpenSSL

/// Random bytes from the system's generator, drawn 4 KiB at a time: a call of `RAND_bytes` costs about a microsecond
/// however little it gives. Bytes are wiped as they are used, so that a look at memory tells nothing of past draws.
package struct RandomBlock: ~Copyable {
    private static let size = 4_096
    private let bytes: UnsafeMutableRawBufferPointer
    private var used = size

    /// Fills a block; false if it cannot.
    package typealias Source = @Sendable (UnsafeMutableRawBufferPointer) -> Bool

    private let source: Source

    /// - Parameter source: the system's generator, or what takes its place in a test.
    package init(source: @escaping Source = RandomBlock.system) {
        bytes = .allocate(byteCount: Self.size, alignment: 8)
        self.source = source
    }

    /// OpenSSL's generator. Anything but 1 means that it cannot vouch for the bytes.
    package static let system: Source = { block in
        RAND_bytes(block.baseAddress?.assumingMemoryBound(to: UInt8.self), Int32(clamping: block.count)) == 1
    }

    deinit {
        SecureWipe.wipe(bytes)
        bytes.deallocate()
    }

    /// One uniform byte.
    package mutating func byte() throws(CryptoError) -> UInt8 {
        if used >= Self.size { try refill() }
        let byte = bytes[used]
        bytes[used] = 0
        used += 1
        return byte
    }

    /// Eight of them.
    package mutating func word() throws(CryptoError) -> UInt64 {
        var word: UInt64 = 0
        for _ in 0..<8 { word = word << 8 | UInt64(try byte()) }
        return word
    }

    /// Fresh bytes.
    package mutating func bytes(_ count: Int) throws(CryptoError) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(count)
        for _ in 0..<count { result.append(try byte()) }
        return result
    }

    /// A uniform number below `bound` (1–256): bytes past the last whole multiple of the bound are thrown away, so that
    /// no number is likelier than another.
    package mutating func uniform(below bound: Int) throws(CryptoError) -> Int {
        let limit = 256 / bound * bound
        while true {
            let byte = Int(try byte())
            if byte < limit { return byte % bound }
        }
    }

    /// A uniform number below a larger `bound`.
    package mutating func index(below bound: Int) throws(CryptoError) -> Int {
        let bound = UInt64(max(bound, 1))
        let limit = UInt64.max - UInt64.max % bound
        while true {
            let word = try word()
            if word < limit { return Int(word % bound) }
        }
    }

    private mutating func refill() throws(CryptoError) {
        guard source(bytes) else { throw .noRandomness }
        used = 0
    }
}
