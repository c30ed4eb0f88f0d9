/// The rule by which callers divide what they all share, so that none can use up all of it (`docs/reference/access.md` section 4).
///
/// Limits move with what is free. A group, which is the public or one credential with all its sessions, gets more as long as it holds
/// less than is free: alone it gets half of all, two groups get a third each, and there is always room for one more group. Within its
/// group a member, which is an address, a session or a subject of an identity provider, gets more as long as three times its own is less
/// than what is left to the group: alone a fifth of all. So a caller that asks for its first is never refused because of one that
/// holds much, and nothing has to be configured for the number of callers.
public struct FairShare {
    /// What is left to the group; zero or less if it has its share.
    public let room: Int

    /// Those of what is asked for that come before the last.
    private let before: Int

    /// - Parameters:
    ///   - free: what nobody holds.
    ///   - group: what the group holds.
    ///   - asked: how many are asked for, at least one: the last of them must be granted as if it were asked for after the others.
    public init(free: Int, group: Int, asked: Int = 1) {
        before = asked - 1
        room = (free - before) - (group + before)
    }

    /// Whether a member of the group that holds `own` may have what is asked for.
    public func admits(member own: Int) -> Bool {
        let (needed, isTooMuch) = (own + before).multipliedReportingOverflow(by: 3)
        return !isTooMuch && needed < room
    }
}
