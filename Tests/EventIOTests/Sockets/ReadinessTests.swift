import Testing

@testable import EventIO

@Suite struct ReadinessTests {
    /// One event that a socket tells its readiness about.
    enum Event: CaseIterable, Sendable {
        case readEdge, writeEdge, closeEdge, noBytes, noRoom, shortRead, wrote, sendFailed, waited

        func apply(to readiness: inout Readiness) {
            switch self {
            case .readEdge: readiness.signal(.read, peerHasClosed: false)
            case .writeEdge: readiness.signal(.write, peerHasClosed: false)
            case .closeEdge: readiness.signal([], peerHasClosed: true)
            case .noBytes: readiness.exhaust(.read)
            case .noRoom: readiness.exhaust(.write)
            case .shortRead: readiness.readShort()
            case .wrote: readiness.confirmPresumption()
            case .sendFailed: readiness.sendFailed()
            case .waited: _ = readiness.allowsBeforeWait(.read)
            }
        }
    }

    /// Every state of reading with every event.
    @Test(
        arguments: [
            (
                [],
                [.readEdge: .signalled, .closeEdge: .closing, .shortRead: .presumedExhausted, .sendFailed: .signalled]
            ),
            ([.readEdge], [.closeEdge: .closing, .noBytes: .exhausted, .shortRead: .presumedExhausted]),
            (
                [.shortRead],
                [
                    .readEdge: .signalled, .closeEdge: .closing, .noBytes: .exhausted, .wrote: .exhausted,
                    .sendFailed: .signalled, .waited: .signalled,
                ]
            ),
            // Until the end is read, every read may succeed.
            ([.closeEdge], [.noBytes: .exhausted]),
        ] as [([Event], [Event: Readiness.Reading])])
    func readingChanges(past: [Event], transitions: [Event: Readiness.Reading]) {
        for event in Event.allCases {
            var readiness = Readiness()
            for event in past { event.apply(to: &readiness) }
            let before = readiness.reading
            event.apply(to: &readiness)
            #expect(readiness.reading == transitions[event] ?? before, "\(event) after \(past)")
        }
    }

    @Test func writingIsSignalledUntilThereIsNoRoom() {
        for event in Event.allCases {
            var readiness = Readiness()
            event.apply(to: &readiness)
            #expect(readiness.writing == (event == .writeEdge ? .signalled : .exhausted))
            Event.writeEdge.apply(to: &readiness)
            event.apply(to: &readiness)
            #expect(readiness.writing == (event == .noRoom ? .exhausted : .signalled))
        }
    }

    @Test func aDirectionAllowsItsOwnInterest() {
        var readiness = Readiness()
        #expect(!readiness.allows([.read, .write]))
        readiness.signal(.write, peerHasClosed: false)
        #expect(readiness.allows(.write) && readiness.allows([.read, .write]) && !readiness.allows(.read))
        readiness.signal([], peerHasClosed: true)
        #expect(readiness.allows(.read))
        #expect(!readiness.allows([]))
    }

    /// A reset that came with the bytes of a short read gives no edge of its own.
    @Test func aPresumptionIsCheckedBeforeAWait() {
        var readiness = Readiness()
        readiness.readShort()
        #expect(!readiness.allows(.read))
        let mayWrite = readiness.allowsBeforeWait(.write)
        let mayRead = readiness.allowsBeforeWait(.read)
        #expect(!mayWrite && mayRead)
        readiness.exhaust(.read)
        let mayStillRead = readiness.allowsBeforeWait(.read)
        #expect(!mayStillRead)
    }
}
