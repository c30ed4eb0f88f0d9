import Foundation
import JSON
import Synchronization
import Testing

/// Values come back as they were given, whoever asks and how often.
@Suite(.waits) struct StoredValueTests {
    private let gateway: GatewayProcess

    init() throws { gateway = try Setting.shared.get() }

    private func create(_ value: String, _ format: String = "UUID") throws -> String {
        var item = JSONObject()
        item.set("value", .string(value))
        item.set("format", .string(format))
        let body = #"{"data":[\#(JSONValue.object(item).text)]}"#
        let stored = try gateway.vault("POST", "/aliases", body).json()["data"]?.array?.first
        return try #require(stored?["aliases"]?.array?.first?.string("alias"))
    }

    @Test(arguments: [
        " ", "\u{0}", "a\u{0}b", "\"\\/\u{8}\u{C}\n\r\t", "\u{7F}\u{80}\u{9F}", "e\u{301}", "\u{E9}", "🧥🎟️👩‍👩‍👧",
        "\u{10FFFF}\u{FFFF}",
        "\u{2028}\u{FEFF}", "%00+%2B&=", String(repeating: "a", count: 100_000), "ｱﾘｽ", "null", "0",
    ])
    func everyTextComesBack(_ value: String) throws {
        let alias = try create(value)
        let stored = try gateway.vault("GET", "/aliases/\(alias)").json()["data"]?.array?.first
        #expect(stored?.string("value").map { Array($0.utf8) } == Array(value.utf8))
        #expect(try create(value) == alias)
    }

    /// The same bytes, without normalisation: these two only look alike.
    @Test func valuesAreTheSameWhenTheirBytesAre() throws {
        #expect(try create("\u{E9}") != create("e\u{301}"))
    }

    @Test(arguments: [
        ("UUID", "Ann Li", #"tok_sandbox_[1-9A-HJ-NP-Za-km-z]{21,22}"#),
        ("RAW_UUID", "Ann Li", #"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"#),
        ("FPE_SIX_T_FOUR", "6212345678901265", #"621234[0-9]{6}1265"#),
        ("FPE_T_FOUR", "6212345678901265", #"[1-9][0-9]{11}1265"#), ("NUM_LENGTH_PRESERVING", "321", #"[0-9]{3}"#),
    ])
    func anAliasHasTheShapeOfItsFormat(_ format: String, _ value: String, _ pattern: String) throws {
        let alias = try create(value, format)
        #expect(try Regex(pattern).wholeMatch(in: alias) != nil && alias != value, "\(alias)")
        #expect(try gateway.vault("GET", "/aliases/\(alias)").json()["data"]?.array?.first?.string("value") == value)
    }

    /// Many at once still share one record: the same value has one alias.
    @Test func theSameValueAtOnceHasOneAlias() throws {
        let aliases = Mutex<Set<String>>([])
        let finished = DispatchSemaphore(value: 0)
        let port = gateway.port
        for _ in 0..<8 {
            Thread.detachNewThread {
                defer { finished.signal() }
                guard let connection = try? Connection(port: port) else { return }
                for number in 0..<20 {
                    let body = #"{"data":[{"value":"raced-\#(number)","format":"UUID"}]}"#
                    let request =
                        "POST /aliases HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nAuthorization: "
                        + "\(User.dev.authorization)\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
                    guard (try? connection.send(request)) != nil, let answer = try? connection.receive().json() else {
                        return
                    }
                    let alias = answer["data"]?.array?.first?["aliases"]?.array?.first?.string("alias")
                    aliases.withLock { _ = $0.insert("\(number) \(alias ?? "none")") }
                }
            }
        }
        for _ in 0..<8 { finished.wait() }
        #expect(aliases.withLock { $0.count } == 20)
        #expect(aliases.withLock { $0.allSatisfy { $0.contains("tok_sandbox_") } })
    }

    /// While somebody else holds the database, nothing is promised; when it is free again, work goes on.
    @Test func aLockedStoreIs503() throws {
        let workspace = try Setting.workspace()
        let own = try GatewayProcess(in: workspace)
        let body = #"{"data":[{"value":"locked out","format":"UUID"}]}"#
        #expect(try own.vault("POST", "/aliases", body.replacing("locked out", with: "before")).status == 201)
        // SQLite's lock for writers in WAL mode: byte 120 of the shared-memory file (its file format, section 2.3.1).
        let file = open(workspace.path(of: "data/vault.db-shm"), O_RDWR | O_CLOEXEC)
        try #require(file >= 0)
        var lock = flock(
            l_type: Int16(F_WRLCK), l_whence: Int16(SEEK_SET), l_start: 120, l_len: 1, l_pid: 0)
        #expect(fcntl(file, F_SETLK, &lock) == 0)
        let refused = try own.vault("POST", "/aliases", body)
        #expect(refused.status == 503 && refused["Retry-After"] != nil)
        #expect(try refused.json()["errors"]?.array?.first?.string("title") == "Unavailable")
        close(file)
        #expect(try own.vault("POST", "/aliases", body).status == 201)
    }
}
