import EventIO
import EventIOTesting
import Glibc
import Testing

@testable import EventHTTP

@Suite struct LargeBufferTests {
    /// The memory of large buffers leaves the process with them.
    @Test func largeBuffersAreReturnedToTheSystem() async throws {
        try await withServer { _ in
            func residentMegabytes() throws -> Int {
                let file = try #require(fopen("/proc/self/statm", "r"))
                defer { fclose(file) }
                var text = [CChar](repeating: 0, count: 128)
                fgets(&text, 128, file)
                let fields = String(decoding: text.map { UInt8(bitPattern: $0) }, as: UTF8.self).split(separator: " ")
                return (Int(fields[1]) ?? 0) / 256
            }
            var buffers: [[UInt8]]? = []
            // Small ones between the large ones keep the allocator from returning a heap as a whole.
            var small: [[UInt8]] = []
            for _ in 0..<8_000 {
                buffers?.append([UInt8](repeating: 1, count: 24 << 10))
                small.append([UInt8](repeating: 1, count: 64))
            }
            let before = try residentMegabytes()
            buffers = nil
            // Of 188 MiB; other tests run at the same time.
            let after = try residentMegabytes()
            #expect(after < before - 100, "\(before) \(after)")
            #expect(small.count == 8_000)
        }
    }
}
