import Foundation
import Glibc
import ProcessTesting
import Testing

/// Where only a few pages may be locked, those of keys are.
@Suite(.waits) struct LockedKeyTests {
    @Test func keysLieInLockedPages() throws {
        let workspace = try Setting.workspace()
        let gateway = try GatewayProcess(in: workspace, starter: Self.starter(lockable: 8 << 20))
        try gateway.waitForLog("memory cannot be locked, but for keys")
        let body =
            #"{"data": [{"value": "a", "format": "UUID"}, {"value": "b", "format": "UUID", "storage": "VOLATILE"}]}"#
        #expect(try gateway.vault("POST", "/aliases", body).status == 201)
        // Nobody else may read the memory of a process that is not dumpable.
        if geteuid() == 0 {
            let text = workspace.read("data/master.key").filter(\.isHexDigit)
            let key = stride(from: 0, to: 64, by: 2).compactMap { UInt8(text.dropFirst($0).prefix(2), radix: 16) }
            try expectLocked([key], gateway)
        }
        #expect(try gateway.stop() == .exit(0))
    }

    /// What is secret of a TLS key is found nowhere else either, however many handshakes it has signed. Nor is that of the key which
    /// follows it at a SIGHUP; then the first is found nowhere.
    @Test(arguments: ["ec -pkeyopt ec_paramgen_curve:P-256", "rsa:2048", "rsa:4096", "ed25519"])
    func tlsKeysLieInLockedPages(kind: String) throws {
        let workspace = try Setting.workspace()
        let certificates = try Certificates(in: workspace)
        try certificates.issue("server", for: "DNS:localhost", key: kind)
        let gateway = try GatewayProcess(
            in: workspace,
            ["--set", "server.tls={certificate: \(workspace.path)/server.pem, key: \(workspace.path)/server.key}"],
            // Less than systems allow, and enough for a few keys.
            starter: Self.starter(lockable: 1 << 20))
        try gateway.waitForLog("memory cannot be locked, but for keys")
        try handshakes(with: gateway, certificates)
        let first = try certificates.secrets(of: "server")
        try expectLocked(first, gateway)
        try certificates.issue("server", for: "DNS:localhost", key: kind)
        for reload in 0..<3 {
            gateway.process.signal(SIGHUP)
            try gateway.waitForLog("configuration read again", moreThan: reload)
            try handshakes(with: gateway, certificates)
        }
        try expectLocked(try certificates.secrets(of: "server"), gateway)
        if geteuid() == 0 {
            #expect(try areas(of: gateway.process.pid, with: first).allSatisfy(\.isEmpty))
        }
        #expect(try gateway.stop() == .exit(0))
    }

    private func handshakes(with gateway: GatewayProcess, _ certificates: Certificates) throws {
        for _ in 0..<8 {
            let run = try Command(
                "/usr/bin/openssl",
                ["s_client", "-connect", "127.0.0.1:\(gateway.port)", "-CAfile", certificates.authority],
                in: certificates.workspace)
            #expect(run.output.contains("Verify return code: 0 (ok)"))
        }
    }

    private func expectLocked(_ secrets: [[UInt8]], _ gateway: GatewayProcess) throws {
        #expect(!secrets.isEmpty)
        guard geteuid() == 0 else { return }
        for found in try areas(of: gateway.process.pid, with: secrets) {
            #expect(!found.isEmpty)
            for area in found { #expect(area.flags.isSuperset(of: ["lo", "dd"]), "\(area)") }
        }
    }

    /// Of each secret the areas that hold it.
    private func areas(of process: pid_t, with secrets: [[UInt8]]) throws -> [[Area]] {
        let memory = open("/proc/\(process)/mem", O_RDONLY)
        guard memory >= 0 else { throw Trouble("its memory can't be read") }
        defer { close(memory) }
        var found: [[Area]] = secrets.map { _ in [] }
        for area in try Self.areas(of: process) {
            let content = Self.content(of: area, memory)
            for (index, secret) in secrets.enumerated() {
                // As it is written, or as OpenSSL holds numbers: the least significant byte first.
                let isThere = [secret, secret.reversed()].contains { Self.holds(content, $0) }
                if isThere { found[index].append(area) }
            }
        }
        return found
    }

    @Test func aStartThatCannotLockThemSaysSo() throws {
        let gateway = try GatewayProcess(in: try Setting.workspace(), starter: Self.starter(lockable: 0))
        try gateway.waitForLog("memory cannot be locked, not even that of keys")
        #expect(try gateway.stop() == .exit(0))
    }

    /// Lets a process lock so many bytes. Root may lock more unless it gives that right up.
    private static func starter(lockable bytes: Int) -> [String] {
        let unprivileged = ["/usr/bin/setpriv", "--inh-caps=-ipc_lock", "--bounding-set=-ipc_lock"]
        return (geteuid() == 0 ? unprivileged : []) + ["/usr/bin/prlimit", "--memlock=\(bytes):\(bytes)"]
    }

    private struct Area {
        let range: Range<UInt64>
        var flags: Set<Substring> = []
    }

    /// The writable areas of a process's memory (`proc(5)`, `/proc/pid/smaps`).
    private static func areas(of process: pid_t) throws -> [Area] {
        var areas: [Area] = []
        var isWritable = false
        for line in try contents("/proc/\(process)/smaps").split(separator: "\n") {
            let words = line.split(separator: " ", maxSplits: 2)
            let ends = words[0].split(separator: "-").compactMap { UInt64($0, radix: 16) }
            if words.count == 3, ends.count == 2, words[1].count == 4 {
                isWritable = words[1].contains("w")
                if isWritable { areas.append(Area(range: ends[0]..<ends[1])) }
            } else if isWritable, line.hasPrefix("VmFlags:") {
                areas[areas.count - 1].flags = Set(line.dropFirst(8).split(separator: " "))
            }
        }
        return areas
    }

    /// All of a file whose size the system does not tell.
    private static func contents(_ path: String) throws -> String {
        guard let file = fopen(path, "r") else { throw Trouble("there is no \(path)") }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while case let count = fread(&buffer, 1, buffer.count, file), count > 0 { bytes += buffer.prefix(count) }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// By its first byte, which the system finds fastest.
    private static func holds(_ content: [UInt8], _ secret: [UInt8]) -> Bool {
        content.withUnsafeBytes { content in
            secret.withUnsafeBytes { secret in
                guard let start = content.baseAddress, let wanted = secret.baseAddress else { return false }
                var place = 0
                while place + secret.count <= content.count,
                    let next = memchr(start + place, Int32(secret[0]), content.count - secret.count - place + 1)
                {
                    if memcmp(next, wanted, secret.count) == 0 { return true }
                    place = UnsafeRawPointer(next) - start + 1
                }
                return false
            }
        }
    }

    /// Some pages can't be read: what comes before them.
    private static func content(of area: Area, _ memory: Int32) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: area.range.count) { buffer, count in
            count = max(0, pread(memory, buffer.baseAddress, buffer.count, off_t(area.range.lowerBound)))
        }
    }
}
