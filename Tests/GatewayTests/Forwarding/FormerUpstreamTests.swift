import EventHTTP
import Testing

@testable import Configuration
@testable import Gateway

/// What a reload leaves of a route that it changes.
@Suite struct FormerUpstreamTests {
    private func upstream(
        _ url: String, _ more: String = "", name: String = "o", former: Upstream? = nil
    ) throws -> (Upstream, Origin) {
        let text = "{name: \(name), kind: upstream, url: \"\(url)\", allowPlaintext: true\(more)}"
        let route = try #require(routes(text).last)
        let base = try #require(route.target.base)
        let upstream = try Upstream(route, trust: nil, former: former)
        return (upstream, try #require(upstream.origin(of: base, isHostNamed: false)))
    }

    /// Connections to the same host go on, and so must be counted where they were.
    @Test(arguments: [
        ("http://x.example", ", headers: {X: a}", true), ("http://x.example/other", "", true),
        ("http://y.example", "", false), ("http://x.example:81", "", false),
        ("http://x.example", ", pool: {connections: 7}", false),
    ])
    func connectionsToTheSameHostAreCountedOn(url: String, more: String, areSame: Bool) throws {
        let (former, origin) = try upstream("http://x.example")
        let (_, next) = try upstream(url, more, former: former)
        #expect((next === origin) == areSame)
    }

    /// A route's `pool` is its own: what another route to the same host uses is not taken from it.
    @Test func routesToOneHostHaveConnectionsOfTheirOwn() throws {
        let (_, origin) = try upstream("http://x.example")
        #expect(try upstream("http://x.example").1 == origin)
        #expect(try upstream("http://x.example", name: "p").1 != origin)
    }
}
