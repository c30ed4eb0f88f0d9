/// How much work one connection may do in one iteration of its loop. A client that sends requests without pause would delay all
/// other connections otherwise. One that does so on many connections would too: where they all together have done much in an iteration,
/// each may do as little as possible.
struct IterationShare {
    private static let requests = 16

    private var iteration = 0
    private var used = 0

    /// Whether a request may be handled in this iteration; if not, it uses the next one's share. A large request uses all of it.
    ///
    /// - Parameter work: of all connections of the loop.
    mutating func use(in iteration: Int, isLarge: Bool, of work: inout IterationWork) -> Bool {
        if self.iteration != iteration {
            self.iteration = iteration
            used = 0
        }
        let cost = isLarge ? Self.requests : 1
        guard used < (work.isMuch(in: iteration) ? 1 : Self.requests) else {
            self.iteration = iteration &+ 1
            used = cost
            return false
        }
        used += cost
        work.add(cost, in: iteration)
        return true
    }
}

/// What all connections of a loop have begun in one of its iterations, in small requests. Those that had waited for it are not counted.
struct IterationWork {
    private static let much = 128

    private var iteration = 0
    private var requests = 0

    mutating func add(_ requests: Int, in iteration: Int) {
        self.requests = requests + (self.iteration == iteration ? self.requests : 0)
        self.iteration = iteration
    }

    func isMuch(in iteration: Int) -> Bool { self.iteration == iteration && requests >= Self.much }
}
