/// An append-only buffer. An array checks at every append whether its storage is uniquely referenced; a noncopyable buffer needs no
/// such check. Writing a response takes some sixty appends of a few bytes each.
///
/// Sound: `memory` belongs to this value from `init` to `deinit`, has room for `capacity` bytes, and the first `count` of them are written.
struct GrowingBytes: ~Copyable {
    private var memory: UnsafeMutableRawPointer
    private var capacity: Int
    private(set) var count = 0

    init(capacity: Int) {
        self.capacity = max(capacity, 16)
        memory = .allocate(byteCount: self.capacity, alignment: 1)
    }

    deinit { memory.deallocate() }

    /// Calls `body` with the bytes, which are valid during the call.
    func withBytes<Result, Failure>(
        _ body: (UnsafeBufferPointer<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(UnsafeBufferPointer(start: memory.assumingMemoryBound(to: UInt8.self), count: count))
    }

    @inline(__always)
    mutating func append(_ byte: UInt8) {
        if count == capacity { grow(by: 1) }
        memory.storeBytes(of: byte, toByteOffset: count, as: UInt8.self)
        count += 1
    }

    @inline(__always)
    mutating func append(_ run: Span<UInt8>) {
        run.withUnsafeBytes { append($0) }
    }

    /// A literal is never freed.
    @inline(__always)
    mutating func append(_ literal: StaticString) {
        append(UnsafeRawBufferPointer(start: literal.utf8Start, count: literal.utf8CodeUnitCount))
    }

    @inline(__always)
    private mutating func append(_ run: UnsafeRawBufferPointer) {
        guard let source = run.baseAddress else { return }
        if capacity - count < run.count { grow(by: run.count) }
        (memory + count).copyMemory(from: source, byteCount: run.count)
        count += run.count
    }

    @inline(never)
    private mutating func grow(by added: Int) {
        let larger = max(count + added, 2 * capacity)
        let moved = UnsafeMutableRawPointer.allocate(byteCount: larger, alignment: 1)
        moved.copyMemory(from: memory, byteCount: count)
        memory.deallocate()
        memory = moved
        capacity = larger
    }
}
