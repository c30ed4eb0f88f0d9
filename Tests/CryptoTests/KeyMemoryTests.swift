import CKeyMemory
import Glibc
import Testing

@Suite struct KeyMemoryTests {
    /// The table of powers of a signature with an RSA key of 8,192 bits has 32 KiB and some more.
    @Test(arguments: [1, 4_096, 16 << 10, 33 << 10, (64 << 10) - 16])
    func blocksAreWipedAndUsedAgain(size: Int) throws {
        let block = try #require(cloakroom_key_memory_allocate(size))
        #expect(cloakroom_key_memory_holds(block))
        memset(block, 0xA5, size)
        cloakroom_key_memory_free(block)
        let next = try #require(cloakroom_key_memory_allocate(size))
        defer { cloakroom_key_memory_free(next) }
        #expect(next == block)
        #expect(UnsafeRawBufferPointer(start: next, count: size).allSatisfy { $0 == 0 })
    }
}
