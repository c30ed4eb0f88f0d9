import Testing
import Vault
import VaultTesting

@testable import VaultSQLite

/// What is replaced while somebody reads the state from before is found all the same, and opened.
@Suite struct SnapshotTests {
    /// What is read, and what is done to it meanwhile.
    enum Case: CaseIterable {
        case revealed, lookedUp, referenced, response, erasure
        case movedAlias, movedFurtherAlias, storedResponse
    }

    @Test(arguments: Case.allCases) func whatIsReplacedIsFound(what: Case) async throws {
        let database = TestDatabase()
        let store = try database.store()
        let vault = try await openVault(store)
        let aliases = try await vault.create([.new("x"), .new("x", .rawUUID)]).map(\.aliases[0].alias)
        let alias = what == .movedFurtherAlias ? aliases[1] : aliases[0]
        let name = [UInt8](repeating: 7, count: 32)
        try await vault.storeResponse([5], under: name, for: 1_000)
        let erasure = try await vault.beginErasure(classifier: "x", storage: nil, requestID: "r", credential: "c")
        for _ in 0..<2 {
            let isFound = try await HeldReader(store: store).reading {
                switch what {
                case .revealed, .movedAlias, .movedFurtherAlias: try await vault.reveal([alias]).count == 1
                case .lookedUp: try await vault.lookUp([alias]).count == 1
                case .referenced:
                    try await vault.references(in: [.reference(alias: alias, format: .uuid)]) == [alias]
                case .response, .storedResponse: try await vault.response(under: name) == [5]
                case .erasure: try await vault.erasure(erasure.id) == erasure
                }
            } across: {
                switch what {
                case .movedAlias, .movedFurtherAlias:
                    // Under another id, for the erasure that is under way would take this one for older than itself.
                    let before = try await lastValueID(store)
                    try await vault.replaceClassifiers(of: alias, with: ["x"])
                    #expect(try await lastValueID(store) > before)
                case .storedResponse: try await vault.storeResponse([5], under: name, for: 2_000)
                default:
                    try await vault.rotateKey()
                    var cursor: Int64? = 0
                    while let position = cursor { cursor = try await vault.rewrap(after: position) }
                }
            }
            #expect(isFound)
            // The next erasure takes what was moved for older, too.
            if what == .movedAlias || what == .movedFurtherAlias { break }
        }
        #expect(vault.metrics.damaged == 0)
        #expect(try await vault.keyStatus().count == 1)
        #expect(try await vault.reveal(aliases).count == 2)
        #expect(try await vault.response(under: name) == [5])
        store.close()
    }

    /// By way of the thread that writes.
    private func lastValueID(_ store: SQLiteAliasStore) async throws -> Int64 {
        try await store.write { (transaction) throws(VaultError) in try transaction.lastValueID() }
    }
}
