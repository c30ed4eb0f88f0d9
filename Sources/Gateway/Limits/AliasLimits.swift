import Access
import Vault

/// What keeps one caller from using up what all share when aliases are created, and from finding values by trying them
/// (`docs/reference/access.md` section 4).
struct AliasLimits: Sendable {
    /// Texts of one request that are looked up, at most: a body can hold a hundred thousand short ones.
    static let lookUps = 4_096

    let guesses: GuessLimit
    let volatile: VolatileShares
    let narrow: NarrowSpaceShares
    let reveals: RevealShares

    /// Refuses what one caller may not have, before anything is looked up or created.
    ///
    /// - Parameters:
    ///   - volatileReferences: aliases of VOLATILE values to which items refer.
    ///   - recognizes: whether a value that comes again is recognised: its alias, or its age, tells that it is known.
    /// - Returns: the places of VOLATILE items, as ``VolatileShares/places(for:references:by:from:)``.
    func admit(
        _ items: [VaultItem], volatileReferences: Set<String> = [], recognizes: Bool, by caller: Caller,
        _ call: Call
    ) throws(CallError) -> [VolatilePlaces?] {
        // A caller that may reveal every value would gain nothing by trying numbers in formats that show none of their digits; in the others
        // its values are counted too.
        try guesses.refuse(items, ofEveryFormat: recognizes && !caller.revealsAll, by: caller, call)
        var held: [VolatilePlace] = []
        return try volatile.places(for: items, references: volatileReferences, by: caller, from: &held)
    }

    /// Whether the caller may have aliases of narrow formats that are almost used up, and change values that it sends again, to be asked by
    /// the vault.
    ///
    /// - Parameter givesClassifiers: whether the caller names the classifiers of what it stores.
    func admission(for caller: Caller, givesClassifiers: Bool = false) -> AliasAdmission {
        let permissions = caller.permissions
        let reaches = { @Sendable (classifiers: [String]) in permissions.reaches(classifiers: classifiers) }
        return AliasAdmission(givesClassifiers: givesClassifiers, reaches: reaches) { [narrow] space in
            narrow.take(from: space, for: caller.holder)
        }
    }
}

extension Caller {
    /// Whether it may see every value anyway. A page's session may not, whatever its credential may.
    fileprivate var revealsAll: Bool {
        if case .session(let session) = identity, session.form != nil { return false }
        return permissions.scopes.contains(.revealAliases) && permissions.classifiers == nil
    }
}
