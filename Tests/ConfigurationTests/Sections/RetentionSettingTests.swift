import FormSchema
import Testing

@testable import Configuration

/// `retention`, `vault.erase.within` and `audit.keep`.
@Suite struct RetentionSettingTests {
    @Test func whatIsRead() throws {
        let text = """
            vault: {erase: {within: 2s}}
            audit: {keep: 365d}
            retention: [{classifier: trial, keep: 90d}, {classifier: customer 17, keep: 1h}]

            """
        let configuration = try #require(try load(text).configuration)
        #expect(configuration.vault.eraseWithin == .seconds(2))
        #expect(configuration.audit.keep == .age(.seconds(365 * 86_400)))
        #expect(configuration.retention.map(\.classifier) == ["trial", "customer 17"])
        #expect(configuration.retention.map(\.keep) == [.seconds(90 * 86_400), .seconds(3_600)])
        #expect(try load("audit: {keep: 10GiB}\n").configuration?.audit.keep == .size(10 << 30))
        #expect(try load("").configuration?.audit.keep == nil)
        #expect(try load("").configuration?.vault.eraseWithin == .seconds(5))
    }

    /// A span that no number holds is one all the same: what is wrong is how long it is.
    @Test(arguments: ["99999999d", "99999999999999d"]) func spansOutOfBounds(keep: String) throws {
        #expect(try load("audit: {keep: \(keep)}\n").mistakes.map(\.message) == ["must be from 1h to 36500d"])
    }

    @Test(arguments: [
        ("retention: {classifier: a, keep: 1d}", "1 retention"),
        ("retention: [{keep: 1d}]", "1 retention[0].classifier"),
        ("retention: [{classifier: a}]", "1 retention[0].keep"),
        ("retention: [{classifier: \"\", keep: 1d}]", "1 retention[0].classifier"),
        ("retention: [{classifier: a, keep: 90}]", "1 retention[0].keep"),
        ("retention: [{classifier: a, keep: 0s}]", "1 retention[0].keep"),
        ("retention: [{classifier: a, keep: 1d}, {classifier: a, keep: 2d}]", "1 retention[1].classifier"),
        ("retention: [{classifier: a, keep: 1d, more: 1}]", "1 retention[0].more"),
        ("vault: {erase: {within: 0s}}", "1 vault.erase.within"),
        ("vault: {erase: {within: 2h}}", "1 vault.erase.within"),
        ("vault: {erase: {after: 2s}}", "1 vault.erase.after"),
        ("audit: {keep: 1min}", "1 audit.keep"), ("audit: {keep: 64MiB}", "1 audit.keep"),
        ("audit: {keep: 7}", "1 audit.keep"), ("audit: {keep: forever}", "1 audit.keep"),
    ])
    func whatIsRefused(text: String, place: String) throws {
        #expect(places(try load(text + "\n")) == [place])
    }

    /// Both that it may be are named.
    @Test(arguments: ["forever", "10", "[1d]", "10G"]) func whatKeepMayBeIsSaid(keep: String) throws {
        let messages = [try load("audit: {keep: \(keep)}\n"), try load("", ["audit.keep=\(keep)"])].map {
            $0.mistakes.map(\.message)
        }
        #expect(messages.allSatisfy { $0 == ["expected an age such as 365d or a size such as 10GiB, with its unit"] })
    }
}
