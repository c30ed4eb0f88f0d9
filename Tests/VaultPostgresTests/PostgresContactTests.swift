import Testing

@testable import VaultPostgres

/// What the threads of a store know of the server together.
@Suite struct PostgresContactTests {
    private let start = ContinuousClock.now

    /// A kind has its first connection before the other has a second.
    @Test(arguments: [
        (reading: 0, writing: 0, refused: false, mayRead: true, mayWrite: true),
        (reading: 0, writing: 1, refused: false, mayRead: true, mayWrite: true),
        (reading: 0, writing: 0, refused: true, mayRead: true, mayWrite: true),
        (reading: 0, writing: 1, refused: true, mayRead: true, mayWrite: false),
        (reading: 0, writing: 2, refused: true, mayRead: true, mayWrite: false),
        (reading: 1, writing: 1, refused: true, mayRead: true, mayWrite: true),
    ])
    func whoMayConnect(reading: Int, writing: Int, refused: Bool, mayRead: Bool, mayWrite: Bool) {
        let contact = PostgresContact()
        for _ in 0..<reading { contact.note(connected: true, writing: false) }
        for _ in 0..<writing { contact.note(connected: true, writing: true) }
        if refused { contact.noteRefusal(writing: false) }
        #expect(contact.mayConnect(writing: false) == mayRead)
        #expect(contact.mayConnect(writing: true) == mayWrite)
        // Once it has one, the other kind may have as many as it likes.
        contact.note(connected: true, writing: false)
        #expect(contact.mayConnect(writing: true))
    }

    /// One connection in ten seconds, and never the last.
    @Test func whoGivesOneUp() {
        let contact = PostgresContact()
        let calls = Gathering(0)
        contact.register(writing: true) { calls.add { $0 += 1 } }
        contact.note(connected: true, writing: true)
        contact.noteRefusal(writing: false)
        #expect(!contact.isAskedForOne(writing: true) && calls.value == 0)
        contact.note(connected: true, writing: true)
        contact.note(connected: true, writing: true)
        contact.noteRefusal(writing: false, at: start)
        #expect(calls.value == 1)
        #expect(contact.isAskedForOne(writing: true))
        #expect(!contact.isAskedForOne(writing: true) && !contact.isAskedForOne(writing: false))
        contact.note(connected: false, writing: true)
        contact.noteRefusal(writing: false, at: start + .seconds(9))
        #expect(calls.value == 1 && !contact.isAskedForOne(writing: true))
        contact.noteRefusal(writing: false, at: start + .seconds(10))
        #expect(calls.value == 2)
        // It has found one elsewhere.
        contact.note(connected: true, writing: false)
        #expect(!contact.isAskedForOne(writing: true))
        contact.noteRefusal(writing: false)
        #expect(!contact.isAskedForOne(writing: true))
    }

    /// It was asked when it had two, and has lost one since.
    @Test func theLastIsKept() {
        let contact = PostgresContact()
        contact.note(connected: true, writing: true)
        contact.note(connected: true, writing: true)
        contact.noteRefusal(writing: false)
        contact.note(connected: false, writing: true)
        #expect(!contact.isAskedForOne(writing: true))
        contact.note(connected: true, writing: true)
        #expect(contact.isAskedForOne(writing: true))
    }

    /// A thread waits while another of its kind works, and no longer.
    @Test(arguments: [
        (connected: 1, made: false, lacking: false, waits: true),
        (connected: 0, made: false, lacking: false, waits: false),
        (connected: 1, made: true, lacking: false, waits: false),
        (connected: 1, made: true, lacking: true, waits: true),
    ])
    func howLongAThreadWaits(connected: Int, made: Bool, lacking: Bool, waits: Bool) {
        let contact = PostgresContact()
        for _ in 0..<connected { contact.note(connected: true, writing: true) }
        if lacking { contact.noteRefusal(writing: false) }
        if made { contact.note(start) }
        let began = ContinuousClock.now
        contact.wait(until: began + .milliseconds(300), since: start, writing: true)
        #expect((ContinuousClock.now - began >= .milliseconds(300)) == waits)
    }

    /// Once an outage, when the reason changes, and not all the time.
    @Test func whatIsNews() {
        let contact = PostgresContact()
        func isNews(_ reason: String, _ seconds: Int) -> Bool {
            contact.isNews(reason, at: start + .seconds(seconds))
        }
        #expect(isNews("a", 0) && !isNews("a", 1) && !isNews("a", 1_000))
        #expect(isNews("b", 1_001) && !isNews("a", 1_002) && isNews("a", 1_012))
        contact.note(start + .seconds(1_013))
        #expect(!isNews("a", 1_014) && isNews("a", 1_023) && !isNews("a", 1_100))
    }
}
