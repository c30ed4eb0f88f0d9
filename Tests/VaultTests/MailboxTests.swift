import Glibc
import Testing
import Threads

@testable import Vault

@Suite struct MailboxTests {
    /// What was begun goes before what was not, and what was put back before what came later.
    @Test func theOrder() {
        let mailbox = Mailbox<Int>(limit: 6)
        for item in 1...3 { #expect(mailbox.put(item) == .accepted) }
        #expect(mailbox.put(10, first: true) == .accepted)
        #expect(mailbox.put(11, first: true) == .accepted)
        #expect(mailbox.count == 5)
        #expect(mailbox.take(limit: 3, after: 0) == [10, 11, 1])
        mailbox.putBack([1])
        #expect(mailbox.put(12, first: true) == .accepted)
        #expect(mailbox.take(limit: 2, after: 3) == [12, 1])
        #expect(mailbox.take(limit: 8, after: 2) == [2, 3])
        for item in 1...6 { #expect(mailbox.put(item, first: item % 2 == 0) == .accepted) }
        // What is new does not fill the queue for what was begun.
        #expect(mailbox.put(7) == .full)
        for item in [8, 10, 12] { #expect(mailbox.put(item, first: true) == .accepted) }
        #expect(mailbox.put(14, first: true) == .full)
        mailbox.close()
        #expect(mailbox.take(limit: 8, after: 2) == [2, 4, 6, 8, 10, 12, 1, 3])
        mailbox.putBack([1, 3])
        #expect(mailbox.take(limit: 5, after: 8) == [1, 3, 5])
        #expect(mailbox.take(limit: 5, after: 3) == [])
    }

    /// While another thread has taken four items, a thread does not take fewer at once.
    @Test(arguments: [(waiting: 3, waits: true), (waiting: 4, waits: false), (waiting: 9, waits: false)])
    func aBatchGathers(waiting: Int, waits: Bool) {
        let gathering = Mailbox<Int>.gathering
        let mailbox = Mailbox<Int>(limit: 64)
        for item in 1...4 { #expect(mailbox.put(item) == .accepted) }
        #expect(mailbox.take(limit: 64, after: 0) == [1, 2, 3, 4])
        let later = Array(5..<5 + waiting)
        for item in later { #expect(mailbox.put(item) == .accepted) }
        let start = ContinuousClock.now
        #expect(mailbox.take(limit: 64, after: 0) == later)
        if waits { #expect(.now - start >= gathering) }
        // The one that had four is done. What the other has is still more than one.
        #expect(mailbox.put(100) == .accepted)
        let again = ContinuousClock.now
        #expect(mailbox.take(limit: 64, after: 4) == [100])
        #expect(.now - again >= gathering)
    }

    /// What a thread puts back, another one takes that sleeps.
    @Test func whatIsPutBackWakesAnother() {
        let (mailbox, taken) = (Mailbox<Int>(limit: 8), StoreFigures())
        let other = Worker { taken.count(mailbox.take(limit: 8, after: 0).count, failed: false) }
        usleep(50_000)
        mailbox.putBack([4])
        let deadline = ContinuousClock.now + .seconds(10)
        while taken.metrics.requests == 0, ContinuousClock.now < deadline { usleep(1_000) }
        #expect(taken.metrics.requests == 1)
        mailbox.close()
        other?.join()
    }

    /// A thread that has put back what it took is at work no more: others need not gather as much.
    @Test func whoHasPutBackIsNotAtWork() {
        let mailbox = Mailbox<Int>(limit: 8)
        for item in 1...4 { #expect(mailbox.put(item) == .accepted) }
        #expect(mailbox.take(limit: 8, after: 0) == [1, 2, 3, 4])
        mailbox.putBack([4], after: 4)
        let sleeps = Self.sleeps
        #expect(mailbox.take(limit: 8, after: 0) == [4])
        #expect(Self.sleeps == sleeps)
    }

    /// A thread that has something else to do takes nothing, and one that waits is told.
    @Test func aThreadIsCalledAway() {
        let mailbox = Mailbox<Int>(limit: 8)
        #expect(mailbox.put(1) == .accepted)
        #expect(mailbox.take(limit: 8, after: 0, unless: { true }) == nil)
        #expect(mailbox.take(limit: 8, after: 0, unless: { false }) == [1])
        let (calls, left) = (StoreFigures(), StoreFigures())
        let other = Worker {
            if mailbox.take(limit: 8, after: 0, unless: { calls.metrics.requests > 0 }) == nil {
                left.count(1, failed: false)
            }
        }
        usleep(50_000)
        calls.count(1, failed: false)
        mailbox.call()
        other?.join()
        #expect(left.metrics.requests == 1)
        // It sleeps no more: what is put wakes nobody, and is taken.
        #expect(mailbox.put(2) == .accepted)
        #expect(mailbox.take(limit: 8, after: 1) == [2])
        mailbox.close()
        #expect(mailbox.take(limit: 8, after: 1, unless: { false }) == [])
    }

    /// A thread alone never waits for more than there is, however many it took the last time.
    @Test func oneThreadTakesWhatThereIs() {
        let mailbox = Mailbox<Int>(limit: 8)
        let (rounds, sleeps) = (500, Self.sleeps)
        for round in 0..<rounds {
            for item in 0..<4 { #expect(mailbox.put(item) == .accepted) }
            #expect(mailbox.take(limit: 4, after: min(round, 1)) == [0, 1, 2, 3])
            #expect(mailbox.put(round) == .accepted)
            #expect(mailbox.take(limit: 4, after: 4) == [round])
        }
        #expect(Self.sleeps - sleeps < rounds / 2)
    }

    /// How often the calling thread has slept: that it was interrupted does not count.
    private static var sleeps: Int {
        var usage = rusage()
        // Of the calling thread (getrusage(2)).
        getrusage(1, &usage)
        return usage.ru_nvcsw
    }

    /// Every item is taken once, by threads that wait for each other, for more, and for nothing.
    @Test(arguments: [1, 2, 5]) func nothingIsLeftBehind(threads: Int) {
        let mailbox = Mailbox<Int>(limit: 100_000)
        let taken = StoreFigures()
        let workers = (0..<threads).compactMap { _ in
            Worker {
                var done = 0
                while case let items = mailbox.take(limit: 7, after: done), !items.isEmpty {
                    done = items.count
                    taken.count(done, failed: false)
                    if done == 7 { sched_yield() }
                }
            }
        }
        #expect(workers.count == threads)
        for item in 0..<20_000 {
            #expect(mailbox.put(item, first: item % 3 == 0) == .accepted)
            // The threads fall asleep now and then.
            if item % 1_000 == 0 { usleep(UInt32(item % 7_000)) }
        }
        // Without another item to wake anybody, what is there is taken.
        let deadline = ContinuousClock.now + .seconds(20)
        while mailbox.count > 0, ContinuousClock.now < deadline { usleep(1_000) }
        #expect(mailbox.count == 0)
        mailbox.close()
        for worker in workers { worker.join() }
        #expect(taken.metrics.requests == 20_000)
    }
}
