import Fairness
import Testing

@Suite struct FairShareTests {
    /// What is granted one by one until nothing more is: a group alone gets half of all, a member alone a fifth, and a second group as much
    /// as the first.
    @Test(arguments: [
        // Groups, whether each is one of several members, and what each gets of 60.
        (1, false, [30]), (2, false, [20, 20]), (3, false, [15, 15, 15]), (1, true, [12]),
    ])
    func granted(groups: Int, isMember: Bool, expected: [Int]) {
        var held = [Int](repeating: 0, count: groups)
        var isRefused = [Bool](repeating: false, count: groups)
        while isRefused.contains(false) {
            for group in held.indices {
                let share = FairShare(free: 60 - held.reduce(0, +), group: held[group])
                let isGranted = share.room > 0 && (!isMember || share.admits(member: held[group]))
                if isGranted { held[group] += 1 }
                isRefused[group] = !isGranted
            }
        }
        #expect(held == expected)
    }

    /// Several at once are granted if the last of them would be, after the others.
    @Test(arguments: [(1, true), (29, true), (30, true), (31, false)])
    func severalAtOnce(asked: Int, isGranted: Bool) {
        #expect((FairShare(free: 60, group: 0, asked: asked).room > 0) == isGranted)
    }

    @Test func whatCannotBeMultipliedIsTooMuch() {
        #expect(!FairShare(free: .max, group: 0).admits(member: .max / 2))
    }
}
