/// Whether a backtracking matcher takes linear time on a pattern.
///
/// Each character class of the pattern, with bounded repetitions written out, is a state (Glushkov's construction). If no text leads
/// to a state on two different ways, a matcher has at most one way alive for each state at each character, so its work is at most
/// the length of the text times the number of states. Look-aheads and anchors count as always true, which only adds ways.
struct PatternAutomaton {
    /// The pattern is too large to be examined.
    private struct TooLarge: Error {}

    private static let mostStates = 240
    private static let mostSteps = 400_000

    private var classes: [ScalarSet] = []
    /// For each state, the states that can follow; a state twice if there are two ways to it.
    private var successors: [[Int]] = []

    /// The states at the ends of a part of the pattern.
    private struct Part {
        var first: [Int] = []
        var last: [Int] = []
        var canBeEmpty = true
    }

    /// Whether every text leads to every state on one way at most.
    static func isLinear(_ syntax: PatternSyntax) -> Bool {
        var automaton = PatternAutomaton()
        do throws(TooLarge) {
            let whole = try automaton.add(syntax)
            return automaton.isUnambiguous(from: whole.first)
        } catch {
            return false
        }
    }

    private mutating func add(_ syntax: PatternSyntax) throws(TooLarge) -> Part {
        switch syntax {
        case .empty, .anchor, .lookAhead: return Part()
        case .scalar(let scalars):
            guard classes.count < Self.mostStates else { throw TooLarge() }
            classes.append(scalars.all)
            successors.append([])
            return Part(first: [classes.count - 1], last: [classes.count - 1], canBeEmpty: false)
        case .group(let item): return try add(item)
        case .sequence(let items):
            var whole = Part()
            for item in items { whole = join(whole, try add(item)) }
            return whole
        case .alternatives(let items):
            var whole = Part(canBeEmpty: false)
            for item in items {
                let part = try add(item)
                whole.first += part.first
                whole.last += part.last
                whole.canBeEmpty = whole.canBeEmpty || part.canBeEmpty
            }
            return whole
        case .repetition(let item, let repetition): return try add(item, repetition)
        }
    }

    private mutating func add(_ item: PatternSyntax, _ repetition: PatternSyntax.Repetition) throws(TooLarge) -> Part {
        var whole = Part()
        for _ in 0..<repetition.minimum { whole = join(whole, try add(item)) }
        guard let maximum = repetition.maximum else {
            var part = try add(item)
            for state in part.last { successors[state] += part.first }
            part.canBeEmpty = true
            return join(whole, part)
        }
        // The optional repetitions are nested, `(x(x)?)?`, so that there is one way to each.
        var rest = Part()
        for _ in repetition.minimum..<max(maximum, repetition.minimum) {
            rest = join(try add(item), rest)
            rest.canBeEmpty = true
        }
        return join(whole, rest)
    }

    private mutating func join(_ left: Part, _ right: Part) -> Part {
        for state in left.last { successors[state] += right.first }
        return Part(
            first: left.first + (left.canBeEmpty ? right.first : []),
            last: right.last + (right.canBeEmpty ? left.last : []), canBeEmpty: left.canBeEmpty && right.canBeEmpty)
    }

    /// Walks the pairs of different states that one text leads to; two ways to one state are found where a pair has a common
    /// successor, or a state the same successor twice.
    private func isUnambiguous(from first: [Int]) -> Bool {
        let count = classes.count
        guard Set(first).count == first.count else { return false }
        guard successors.allSatisfy({ Set($0).count == $0.count }) else { return false }
        var seen = [Bool](repeating: false, count: count * count)
        var pending: [(Int, Int)] = []
        var steps = 0
        func note(_ left: [Int], _ right: [Int], isSame: Bool) -> Bool {
            for one in left {
                for other in right where one != other || !isSame {
                    steps += 1
                    if steps > Self.mostSteps { return false }
                    if one == other { return false }
                    let index = min(one, other) * count + max(one, other)
                    if seen[index] || !classes[one].overlaps(classes[other]) { continue }
                    seen[index] = true
                    pending.append((one, other))
                }
            }
            return true
        }
        guard note(first, first, isSame: true) else { return false }
        for state in 0..<count {
            guard note(successors[state], successors[state], isSame: true) else { return false }
        }
        while let (one, other) = pending.popLast() {
            guard note(successors[one], successors[other], isSame: false) else { return false }
        }
        return true
    }
}
