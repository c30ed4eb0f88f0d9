import Crypto
import Testing

@testable import Access

@Suite("Guessing")
struct GuessCounterTests {
    private let key = [UInt8](repeating: 5, count: 32)
    private let pattern = GuessPattern(format: "FPE_SIX_T_FOUR", length: 16, kept: "4539604134")
    private let caller = CallerKey.address(ClientAddress(IPAddress(v4: 1)))

    private func clocks(_ seconds: Int64) -> GuessCounter.Clocks {
        GuessCounter.Clocks(monotonic: seconds, unix: 1_700_000_000 + seconds)
    }

    private func card(_ number: Int) -> String { "453960\(100_000 + number)4134" }

    @Test func stopsAtTheTwentieth() throws {
        let counter = try GuessCounter(key: key)
        var allowed = 0
        for number in 0..<100_000 {
            let verdict = try counter.submit(card(number), for: [pattern], by: [caller], at: clocks(100))
            if verdict == .allowed { allowed += 1 }
            if number == 20 { #expect(verdict == .refused(retryAfter: 3_600, isFirst: true)) }
            if number == 21 { #expect(verdict == .refused(retryAfter: 3_600, isFirst: false)) }
        }
        #expect(allowed == 20)
        // Its own values, others' patterns and other callers go on.
        #expect(try counter.submit(card(3), for: [pattern], by: [caller], at: clocks(200)) == .allowed)
        let other = GuessPattern(format: "FPE_SIX_T_FOUR", length: 16, kept: "4539604135")
        #expect(try counter.submit(card(3), for: [other], by: [caller], at: clocks(200)) == .allowed)
        #expect(try counter.submit(card(99), for: [pattern], by: [.credential("shop")], at: clocks(200)) == .allowed)
    }

    /// Workers count at the same time, and no more pass for it.
    @Test func threadsShareTheLimit() async throws {
        for round in 0..<50 {
            let counter = try GuessCounter(key: key, limit: 20)
            let allowed = try await withThrowingTaskGroup(of: Int.self) { group in
                for thread in 0..<4 {
                    group.addTask { [self] in
                        try (0..<20).count { number in
                            try counter.submit(
                                card(thread * 20 + number), for: [pattern], by: [caller], at: clocks(Int64(round)))
                                == .allowed
                        }
                    }
                }
                return try await group.reduce(0, +)
            }
            #expect(allowed == 20)
        }
    }

    /// A reload changes the rule for what was counted before it, too.
    @Test func limitAndWindowCanBeReplaced() throws {
        let counter = try GuessCounter(key: key)
        func submit(_ number: Int, _ time: Int64) throws -> GuessCounter.Verdict {
            try counter.submit(card(number), for: [pattern], by: [caller], at: clocks(time))
        }
        for number in 0..<10 { #expect(try submit(number, Int64(number)) == .allowed) }
        counter.replaceLimit(5, window: 3_600)
        // Of ten values six must leave the window before a fifth has room.
        #expect(try submit(10, 100) == .refused(retryAfter: 3_505, isFirst: true))
        #expect(try submit(10, 3_604) != .allowed)
        #expect(try submit(10, 3_605) == .allowed)
        counter.replaceLimit(5, window: 60)
        #expect(try submit(11, 3_606) == .allowed)
        counter.replaceLimit(2, window: 60)
        #expect(try submit(12, 3_607) == .refused(retryAfter: 58, isFirst: true))
        counter.replaceLimit(20, window: 3_600)
        #expect(try submit(12, 3_607) == .allowed)
    }

    /// Who hides behind a proxy is counted apart from it, in all processes.
    @Test func whoIsHiddenGuessesAlone() throws {
        let counter = try GuessCounter(key: key, limit: 2)
        let hidden = ClientAddress(IPAddress(v4: 1), isProven: false)
        let keys = Caller(anonymousAt: hidden).guessKeys
        for number in 0..<9 { _ = try counter.submit(card(number), for: [pattern], by: keys, at: clocks(1)) }
        #expect(try counter.submit(card(10), for: [pattern], by: keys, at: clocks(1)) != .allowed)
        #expect(try counter.submit(card(10), for: [pattern], by: [caller], at: clocks(1)) == .allowed)
        let hmac = try HMACSHA256(key: key)
        let reported = try [keys[0], caller].map { try GuessPair(caller: $0, pattern: pattern).reportKey(hmac) }
        #expect(reported[0] != reported[1])
    }

    @Test func ownValuesNeverCountTwice() throws {
        let counter = try GuessCounter(key: key, limit: 2)
        for time in 0..<1_000 {
            let verdict = try counter.submit(card(time % 2), for: [pattern], by: [caller], at: clocks(Int64(time)))
            #expect(verdict == .allowed)
        }
        #expect(try counter.submit(card(7), for: [pattern], by: [caller], at: clocks(1_000)) != .allowed)
    }

    /// Not twenty at the end of one hour and twenty at the beginning of the next.
    @Test func theWindowSlides() throws {
        let counter = try GuessCounter(key: key, limit: 3, window: 100)
        for (number, time) in [(1, 0), (2, 90), (3, 99)] {
            #expect(try counter.submit(card(number), for: [pattern], by: [caller], at: clocks(Int64(time))) == .allowed)
        }
        #expect(
            try counter.submit(card(4), for: [pattern], by: [caller], at: clocks(99))
                == .refused(retryAfter: 1, isFirst: true))
        #expect(try counter.submit(card(4), for: [pattern], by: [caller], at: clocks(100)) == .allowed)
        #expect(
            try counter.submit(card(5), for: [pattern], by: [caller], at: clocks(101))
                == .refused(retryAfter: 89, isFirst: true))
    }

    /// A page gives out new sessions, but not new addresses.
    @Test func sessionsCountByTheirAddressToo() throws {
        let counter = try GuessCounter(key: key)
        var allowed = 0
        for number in 0..<100 {
            let claims = try sessionClaims()
            let session = Caller(session: claims, of: Permissions(scopes: .all), at: home, now: 1_500)
            let verdict = try counter.submit(card(number), for: [pattern], by: session.guessKeys, at: clocks(1))
            if verdict == .allowed { allowed += 1 }
        }
        #expect(allowed == 20)
    }

    @Test func processesAgree() throws {
        let processes = try (0..<3).map { _ in try GuessCounter(key: key) }
        var allowed = 0
        // A try a second, in turn at each process, which exchange every 20 seconds.
        for second in 0..<600 {
            let process = processes[second % 3]
            // One process's monotonic clock began a thousand seconds earlier.
            func now(_ index: Int) -> GuessCounter.Clocks {
                GuessCounter.Clocks(
                    monotonic: Int64(second + 1_000 * index), unix: 1_700_000_000 + Int64(second))
            }
            let verdict = try process.submit(card(second), for: [pattern], by: [caller], at: now(second % 3))
            if verdict == .allowed { allowed += 1 }
            if second % 20 == 19 {
                let bytes = processes.flatMap { $0.takeReports() }.map(\.bytes)
                #expect(bytes.allSatisfy { $0.count == GuessReport.size })
                for (index, process) in processes.enumerated() {
                    process.merge(bytes.compactMap { GuessReport(bytes: $0) }, at: now(index))
                }
            }
        }
        // The twenty, and one that each process had not reported yet.
        #expect(allowed >= 20 && allowed <= 23)
    }

    /// A window that is made longer holds what was reported before it was; and of a caller that nothing is known of here, reports count.
    @Test func reportsAreCountedInALongerWindow() throws {
        let (one, other) = (try GuessCounter(key: key, limit: 2), try GuessCounter(key: key, limit: 2, window: 60))
        for number in 0..<2 { _ = try one.submit(card(number), for: [pattern], by: [caller], at: clocks(100)) }
        other.merge(one.takeReports(), at: clocks(130))
        other.replaceLimit(2, window: 3_600)
        #expect(try other.submit(card(1), for: [pattern], by: [caller], at: clocks(1_000)) == .allowed)
        #expect(
            try other.submit(card(2), for: [pattern], by: [caller], at: clocks(1_000))
                == .refused(retryAfter: 2_700, isFirst: true))
        #expect(try other.submit(card(2), for: [pattern], by: [.credential("shop")], at: clocks(1_000)) == .allowed)
    }

    /// What is reported later, of a pair whose earlier reports were counted, counts too.
    @Test func laterReportsAreCounted() throws {
        let (one, other) = (try GuessCounter(key: key, limit: 3), try GuessCounter(key: key, limit: 3))
        for number in 0..<3 {
            _ = try one.submit(card(number), for: [pattern], by: [caller], at: clocks(100))
            other.merge(one.takeReports(), at: clocks(100))
            let verdict = try other.submit(card(0), for: [pattern], by: [caller], at: clocks(100))
            #expect(verdict == .allowed)
        }
        #expect(
            try other.submit(card(9), for: [pattern], by: [caller], at: clocks(100))
                == .refused(retryAfter: 3_600, isFirst: true))
    }

    @Test func reportsOfWrongClocks() throws {
        let (one, other) = (try GuessCounter(key: key, limit: 2), try GuessCounter(key: key, limit: 2))
        for number in 0..<2 { _ = try one.submit(card(number), for: [pattern], by: [caller], at: clocks(10_000)) }
        let reports = one.takeReports()
        #expect(reports.count == 2 && one.takeReports().isEmpty)
        // The other's time of day is a day behind: the reports come from the future, and count from now.
        let behind = GuessCounter.Clocks(monotonic: 500, unix: 1_700_000_000 - 86_400)
        other.merge(reports, at: behind)
        #expect(
            try other.submit(card(5), for: [pattern], by: [caller], at: behind)
                == .refused(retryAfter: 3_600, isFirst: true))
        // A day ahead they are old.
        let ahead = try GuessCounter(key: key, limit: 2)
        ahead.merge(reports, at: GuessCounter.Clocks(monotonic: 500, unix: 1_700_000_000 + 96_400))
        #expect(try ahead.submit(card(5), for: [pattern], by: [caller], at: clocks(500)) == .allowed)
        #expect(GuessReport(bytes: [1, 2, 3]) == nil)
    }

    @Test func aReportIsReadAsItWasWritten() throws {
        let report = GuessReport(entry: 0x0102_0304_0506_0708, value: 0x1122_3344, at: 0x0203_0405_0607_0809)
        #expect(report.bytes.prefix(12) == [1, 2, 3, 4, 5, 6, 7, 8, 0x11, 0x22, 0x33, 0x44])
        #expect(GuessReport(bytes: report.bytes) == report)
        #expect(GuessReport(bytes: report.bytes + [0]) == nil && GuessReport(bytes: report.bytes.dropLast()) == nil)
    }

    /// A set of the table that is full forgets the entry with the fewest guesses: a report that is too old to count must not need its place.
    @Test func oldReportsPushNothingOut() throws {
        let (counter, other) = (try GuessCounter(key: key, limit: 2), try GuessCounter(key: key, limit: 2))
        for number in 0..<2 { _ = try other.submit(card(number), for: [pattern], by: [caller], at: clocks(100)) }
        let told = other.takeReports()
        let own = try #require(told.first?.entry)
        counter.merge(told, at: clocks(100))
        // The same stripe and the same set, however many sets there are.
        for other in 1...UInt64(7) {
            let entry = own ^ other << 32
            let reports = (0..<UInt32(3)).map { GuessReport(entry: entry, value: $0, at: 1_700_000_100) }
            counter.merge(reports, at: clocks(100))
        }
        let old = GuessReport(entry: own ^ 8 << 32, value: 1, at: 1_700_000_100 - 3_600)
        counter.merge([old], at: clocks(100))
        #expect(
            try counter.submit(card(5), for: [pattern], by: [caller], at: clocks(100))
                == .refused(retryAfter: 3_600, isFirst: true))
    }

    /// What other processes report fills no memory without a bound.
    @Test func mergedValuesAreBounded() {
        var entry = GuessEntry()
        entry.window = 3_600
        for value in 0..<1_500 { entry.note(UInt32(value), at: 10, revision: UInt64(value) + 1) }
        #expect(entry.weight(at: 10) == 1_000)
        var counted = GuessEntry()
        counted.window = 3_600
        for value in 1_400..<1_500 { _ = counted.add(UInt32(value), at: 10) }
        counted.merge(entry, at: 10)
        #expect(counted.weight(at: 10) == 1_000)
        // Once is enough.
        counted.merge(entry, at: 10)
        #expect(counted.weight(at: 10) == 1_000)
    }

    @Test func reportsAreBounded() throws {
        let counter = try GuessCounter(key: key, limit: 1_000)
        for number in 0..<21_000 {
            let pattern = GuessPattern(format: "F", length: 16, kept: String(number / 500))
            _ = try counter.submit(card(number), for: [pattern], by: [caller], at: clocks(1))
        }
        #expect(counter.droppedReports == 1_000)
        let taken = counter.takeReports(.max)
        #expect(taken.count == 20_000)
        counter.putBack(taken)
        #expect(counter.takeReports(1) == [taken[0]] && counter.takeReports(.max).count == 19_999)
    }
}
