import Glibc
import Sensitive
import Synchronization
import Vault
import VaultSQLite

/// Drives the embedded store through `Vault`, without HTTP: creates values until the vault holds a number of aliases and
/// prints, for each step, rows a second, CPU and bytes written a row, and latencies.
///
/// usage: vaultbench PATH ROWS [ITEMS A REQUEST [CONNECTIONS [STEP]]]
@main
enum VaultBench {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count >= 3, let rows = Int(arguments[2]) else { return print("usage: vaultbench PATH ROWS …") }
        let number = { (index: Int, fallback: Int) in
            arguments.count > index ? Int(arguments[index]) ?? fallback : fallback
        }
        let (items, connections, step) = (number(3, 1), number(4, 64), number(5, 250_000))
        let start = Resources()
        let store = try SQLiteAliasStore(SQLiteStoreConfiguration(path: arguments[1]))
        let key = try MasterKey(bytes: (0..<32).map { UInt8($0) })
        let vault = try await Vault.open(VaultConfiguration(), masterKey: key, store: store)
        print("opened in \((Resources().seconds - start.seconds) * 1_000) ms")
        let salt = UInt64.random(in: 0 ... .max)
        var done = 0
        while done < rows {
            let count = min(step, rows - done)
            let before = Resources()
            let latencies = try await create(vault, count, items, connections, salt &+ UInt64(done))
            done += count
            Resources().report(since: before, done, count, latencies.sorted())
        }
        let before = Resources().seconds
        store.close()
        print("closed in \((Resources().seconds - before) * 1_000) ms")
    }

    /// Microseconds of each request.
    private static func create(
        _ vault: Vault, _ count: Int, _ items: Int, _ connections: Int, _ salt: UInt64
    ) async throws -> [Int] {
        let counter = Counter()
        return try await withThrowingTaskGroup(of: [Int].self) { group in
            for _ in 0..<connections {
                group.addTask {
                    var latencies: [Int] = []
                    while true {
                        let first = counter.next.add(items, ordering: .relaxed).oldValue
                        guard first < count else { return latencies }
                        let request = (first..<min(count, first + items)).map { number in
                            VaultItem.value(
                                SensitiveText(String((salt &+ UInt64(number)) % 10_000_000_000_000_000)), format: .uuid)
                        }
                        let began = ContinuousClock.now
                        _ = try await vault.create(request)
                        let took = ContinuousClock.now - began
                        latencies.append(Int(took / .microseconds(1)))
                    }
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
    }
}

/// How many values have been given to requests.
final class Counter: Sendable {
    let next = Atomic(0)
}

/// What the process has used so far.
struct Resources {
    let seconds: Double
    let cpu: Double
    let written: Int
    let resident: Int

    init() {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        seconds = Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        cpu = Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
        written = Self.field("write_bytes:", of: "/proc/self/io")
        resident = Self.field("VmRSS:", of: "/proc/self/status")
    }

    private static func field(_ name: String, of path: String) -> Int {
        guard let file = fopen(path, "r") else { return 0 }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 256)
        while fgets(&line, 256, file) != nil {
            let text = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
            guard text.hasPrefix(name) else { continue }
            return text.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) } ?? 0
        }
        return 0
    }

    func report(since before: Resources, _ done: Int, _ count: Int, _ latencies: [Int]) {
        let at = { (share: Double) in
            Double(latencies[min(latencies.count - 1, Int(Double(latencies.count) * share))]) / 1_000
        }
        print(
            "\(done) rows: \(Int(Double(count) / (seconds - before.seconds))) rows/s,",
            "CPU \(Double(Int((cpu - before.cpu) / Double(count) * 1e8)) / 100) us,",
            "written \((written - before.written) / count) B a row,",
            "p50 \(at(0.5)) p99 \(at(0.99)) p99.9 \(at(0.999)) max \(at(1)) ms, RSS \(resident / 1_024) MB")
    }
}
