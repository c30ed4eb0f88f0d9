import JSON
import Sensitive
import Testing
import Vault

@testable import Gateway

@Suite struct VaultPlaneTests {
    @Test(arguments: [
        ("q=a,b", ["a", "b"]), ("aliases=a", ["a"]), ("q=a%2Cb", ["a", "b"]), ("q=a,b,a", ["a", "b"]),
        ("q=a+b", ["a+b"]), ("x=1&q=%41", ["A"]),
    ])
    func queries(text: String, aliases: [String]) throws {
        #expect(try RevealQuery(text).aliases == aliases)
    }

    /// Two spellings of what looks the same are two aliases.
    @Test func aliasesOfAQueryAreBytes() throws {
        let aliases = try RevealQuery("q=%C3%A9,e%CC%81,%C3%A9,a,%CC%81").aliases
        #expect(aliases.map { Array($0.utf8) } == [[0xC3, 0xA9], [0x65, 0xCC, 0x81], [0x61], [0xCC, 0x81]])
    }

    @Test func storageOfAQuery() throws {
        #expect(try RevealQuery("q=a&storage=VOLATILE").storage == .volatile)
        #expect(try RevealQuery.storage(nil) == nil)
        #expect(try RevealQuery.storage("storage=PERSISTENT") == .persistent)
    }

    @Test(arguments: [
        nil, "", "q=", "aliases=", "q=a&aliases=b", "q=a&q=b", "q=a,,b", "q=a,", "q=%zz", "q=a&storage=DISK",
        "q=a&storage=",
        "q=a&storage=VOLATILE&storage=VOLATILE", "x=1",
    ])
    func refusedQueries(text: String?) {
        #expect(throws: CallError.self) { try RevealQuery(text) }
    }

    private func read(_ json: String) throws -> [VaultItem] {
        guard case .array(let elements) = try JSONValue.parse(Array(json.utf8)) else { return [] }
        return try VaultItemReader.read(elements, now: VaultClock.system.unixSeconds())
    }

    @Test func items() throws {
        let items = try read(
            """
            [{"value":"4539600166594134","format":"FPE_SIX_T_FOUR"},
             {"value":"321","format":"UUID","storage":"VOLATILE","classifiers":["a"]},
             {"alias":"tok","format":"RAW_UUID"}]
            """)
        guard case .value(let value, .fpeSixTFour, [], .persistent, nil) = items[0],
            case .value(_, .uuid, ["a"], .volatile, nil) = items[1], case .reference("tok", .rawUUID, nil) = items[2]
        else { return #expect(Bool(false)) }
        #expect(value.exposed == "4539600166594134")
    }

    private static let formats =
        "UUID, RAW_UUID, GENERIC_T_FOUR, NUM_LENGTH_PRESERVING, PFPT, FPE_SIX_T_FOUR, FPE_T_FOUR, FPE_SSN_T_FOUR, "
        + "FPE_ACC_NUM_T_FOUR, FPE_ALPHANUMERIC_ACC_NUM_T_FOUR, ALPHANUMERIC_SIX_T_FOUR, ALPHANUMERIC_LENGTH_PRESERVING, "
        + "ALPHANUMERIC_LENGTH_PRESERVING_T_FOUR, ALPHANUMERIC_SSN_T_FOUR, ALPHANUMERIC_LENGTH_PRESERVING_SIX_T_FOUR, "
        + "NON_LUHN_FPE_ALPHANUMERIC, VGS_FIXED_LEN_GENERIC"

    /// A value that stands where a format or a name belongs is not quoted.
    @Test(arguments: [
        #"[{"value":"UUID","format":"4111111111111111"}]"#, #"[{"value":"x","format":"UUID","4111111111111111":1}]"#,
        #"[{"value":"UUID","format":"411-11-1111"}]"#, #"[{"value":"UUID","format":"Ann 4111"}]"#,
    ])
    func whatMayBeAValueIsNotQuoted(json: String) throws {
        let error = try #require(throws: CallError.self) { try read(json) }
        let details = VaultErrors(error).details.joined()
        #expect(details.contains("unknown ") && !details.contains("411"))
        // An alias may look like a card number, and is named.
        #expect(VaultErrors(.damaged(alias: "4111111111111111")).details.joined().contains("4111111111111111"))
    }

    @Test(arguments: [
        ("[1]", "data[0]: must be an object with value or alias, and format, not a number"),
        ("[{\"value\":\"s3cret\"}]", "data[0]: format is missing; known: \(formats)"),
        ("[{\"value\":\"s3cret\",\"format\":\"X\"}]", "data[0]: unknown format X; known: \(formats)"),
        (
            "[{\"value\":\"s3cret\",\"alias\":\"a\",\"format\":\"UUID\"}]",
            "data[0]: must have exactly one of value and alias"
        ),
        ("[{\"format\":\"UUID\"}]", "data[0]: must have exactly one of value and alias"),
        ("[{\"value\":12345,\"format\":\"UUID\"}]", "data[0]: value must be a string, not a number"),
        (
            "[{\"value\":\"s3cret\",\"format\":\"UUID\",\"x\":1}]",
            "data[0]: unknown member x; allowed: value, alias, format, classifiers, storage, expires_at, ttl"
        ),
        (
            "[{\"value\":\"\",\"format\":\"UUID\"},{\"value\":\"s3cret\",\"format\":\"UUID\",\"storage\":\"X\"}]",
            "data[1]: storage must be PERSISTENT or VOLATILE"
        ),
        (
            "[{\"value\":\"s3cret\",\"format\":\"UUID\",\"classifiers\":[1]}]",
            "data[0]: classifiers must be an array of strings"
        ),
        ("[{\"alias\":\"\",\"format\":\"UUID\"}]", "data[0]: alias must be a string, not empty"),
        (
            "[{\"value\":\"s3cret\",\"format\":\"UUID\",\"expires_at\":\"2020-01-01T00:00:00Z\"}]",
            "data[0]: expires_at must lie in the future"
        ),
        (
            "[{\"value\":\"s3cret\",\"format\":\"UUID\",\"expires_at\":1893456000}]",
            "data[0]: expires_at must be an instant such as 2026-11-21T18:37:05Z"
        ),
        (
            "[{\"value\":\"s3cret\",\"format\":\"UUID\",\"expires_at\":\"2099-01-01T00:00:00Z\",\"ttl\":\"1h\"}]",
            "data[0]: give one of expires_at and ttl"
        ),
    ])
    func refusedItems(json: String, detail: String) throws {
        let error = try #require(throws: CallError.self) { try read(json) }
        #expect(VaultErrors(error).status == 400)
        #expect(VaultErrors(error).details == [detail])
    }

    @Test(arguments: ["0s", "0.5h", "36501d", "1000000000000h", "180", "1y", "-1d", "1d12h", "1s ", ""])
    func whatATTLMayBeIsSaid(ttl: String) throws {
        let error = try #require(throws: CallError.self) {
            try read("[{\"value\":\"s3cret\",\"format\":\"UUID\",\"ttl\":\"\(ttl)\"}]")
        }
        #expect(
            VaultErrors(error).details == [
                "data[0]: ttl must be a duration from 1s to 36500d, such as 30m, 24h or 180d, in whole numbers"
            ])
    }
}
