/// How much work one connection may do in one iteration of its loop. A client that sends requests without pause would delay all
/// other connections otherwise.
struct IterationShare {
    private static let requests = 16

    private var iteration = 0
    private var used = 0

    /// Whether a request may be handled in this iteration; if not, it uses the next one's share. A large request uses all of it.
    mutating func use(in iteration: Int, isLarge: Bool) -> Bool {
        if self.iteration != iteration {
            self.iteration = iteration
            used = 0
        }
        let cost = isLarge ? Self.requests : 1
        guard used < Self.requests else {
            self.iteration = iteration &+ 1
            used = cost
            return false
        }
        used += cost
        return true
    }
}
