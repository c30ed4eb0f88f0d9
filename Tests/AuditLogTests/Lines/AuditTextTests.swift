import JSON
import Testing

@testable import AuditLog

@Suite struct AuditTextTests {
    /// What a line says can be read back, whatever a name holds.
    @Test(arguments: ["", "dev", "a\"b", "a\\b", "a\"b\\c/", "\u{0}\u{1F}\n\t\u{7F}", "ü\u{301}😀"])
    func stringsAreJSON(name: String) throws {
        let event = AuditEvent(
            .reveal, requestID: name, credential: name, route: name, aliases: [name, "x"], erasure: name)
        let line = try #require(JSONValue.parse([0x7B] + event.members + [0x7D]).object)
        for key in ["requestId", "credential", "route", "erasure"] { #expect(line[key]?.string == name) }
        #expect(line["aliases"]?.array?.map(\.string) == [name, "x"])
        #expect(String(decoding: event.members, as: UTF8.self).contains(",\"count\":2,"))
    }

    @Test(
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"), (951_782_400_007, "2000-02-29T00:00:00.007Z"),
            (1_795_286_225_250, "2026-11-21T18:37:05.250Z"), (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
            (-1, "1970-01-01T00:00:00.000Z"), (.max, "9999-12-31T23:59:59.999Z"),
        ] as [(Int64, String)])
    func instants(milliseconds: Int64, expected: String) {
        var text = AuditText(capacity: 24)
        text.append(instant: milliseconds)
        #expect(String(decoding: text.bytes, as: UTF8.self) == expected)
    }
}
