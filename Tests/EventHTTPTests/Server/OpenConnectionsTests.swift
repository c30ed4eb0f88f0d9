import EventIO
import Testing

@testable import EventHTTP

@Suite("Open connections, and which of them gives way")
struct OpenConnectionsTests {
    private final class Client {}

    private func subscriber(_ low: UInt64, high: UInt64 = 0) -> Subscriber {
        Subscriber((high, high == 0 ? 0xFFFF << 32 | low : low))
    }

    @Test func addressesCountByIPv4AndByNetwork() {
        #expect(subscriber(1) != subscriber(2))
        #expect(subscriber(1, high: 7) == subscriber(2, high: 7) && subscriber(1, high: 7) != subscriber(1, high: 8))
    }

    @Test func theOldestOfTheAddressWithMostGivesWay() {
        var open = OpenConnections<Client>()
        let many = (0..<4).map { _ in Client() }
        let (few, new) = ([Client(), Client()], Client())
        for client in many { open.add(client, from: subscriber(1)) }
        for client in few { open.add(client, from: subscriber(2)) }
        open.add(new, from: subscriber(3))
        let began = [ObjectIdentifier(many[0]): 9, ObjectIdentifier(many[2]): 5, ObjectIdentifier(few[0]): 1]
            .mapValues { MonotonicTime.now.advanced(byMilliseconds: $0) }
        let given = (0..<100).compactMap { _ in open.candidate(toDisplaceFor: new) { began[ObjectIdentifier($0)] } }
        #expect(given.contains { $0 === many[2] } && given.allSatisfy { $0 === many[2] || $0 === many[0] })
        // An address never gets more at the cost of one that has as many or fewer.
        #expect(open.candidate(toDisplaceFor: many[1]) { began[ObjectIdentifier($0)] } == nil)
        open.remove(many[1])
        open.remove(many[3])
        #expect(open.candidate(toDisplaceFor: few[1]) { began[ObjectIdentifier($0)] } == nil)
        // None that works for its client.
        #expect(open.candidate(toDisplaceFor: new) { _ in nil } == nil)
    }

    /// Counts stay right whatever comes and goes.
    @Test func countsFollow() {
        var random = SystemRandomNumberGenerator()
        var open = OpenConnections<Client>()
        var model: [(client: Client, address: UInt64)] = []
        for step in 0..<5_000 {
            if model.isEmpty || (step % 3 > 0 && model.count < 200) {
                let (client, address) = (Client(), UInt64.random(in: 0..<4, using: &random))
                open.add(client, from: subscriber(9))
                open.move(client, to: subscriber(address))
                model.append((client, address))
            } else {
                open.remove(model.remove(at: .random(in: model.indices, using: &random)).client)
            }
            #expect(open.count == model.count)
            let counts = model.reduce(into: [UInt64: Int]()) { $0[$1.address, default: 0] += 1 }
            guard let newest = model.last, let own = counts[newest.address] else { continue }
            if let found = open.candidate(toDisplaceFor: newest.client, waitingSince: { _ in .now }) {
                let address = model.first { $0.client === found }?.address
                #expect(address.flatMap { counts[$0] } ?? 0 > own)
            }
        }
    }

    @Test func whatIsUnknownIsNoFault() {
        var open = OpenConnections<Client>()
        open.remove(Client())
        open.move(Client(), to: subscriber(1))
        #expect(open.candidate(toDisplaceFor: Client()) { _ in .now } == nil && open.count == 0)
    }
}
