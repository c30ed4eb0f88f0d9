/// What one connection may have done in one turn of its loop. A client that never lets its requests run out would keep all others
/// waiting otherwise.
struct TurnShare {
    private static let requests = 16

    private var turn = 0
    private var taken = 0

    /// Whether a request may be answered in this turn; if not, it is one of the next. One that is large is the last of its turn.
    mutating func take(in turn: Int, isLarge: Bool) -> Bool {
        if self.turn != turn {
            self.turn = turn
            taken = 0
        }
        let cost = isLarge ? Self.requests : 1
        guard taken < Self.requests else {
            self.turn = turn &+ 1
            taken = cost
            return false
        }
        taken += cost
        return true
    }
}
