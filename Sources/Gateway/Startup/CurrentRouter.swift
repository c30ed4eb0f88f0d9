import EventHTTP
import Synchronization

/// The router of one loop. A reload replaces it; requests under way end on the one that they began with.
final class CurrentRouter: Sendable {
    private let router: Mutex<Router>
    /// Of all routers that this loop has had.
    let counts: RequestCounts

    init(_ router: Router) {
        self.router = Mutex(router)
        counts = router.counts
    }

    func replace(_ new: Router) { router.withLock { $0 = new } }

    var responder: Server.Responder {
        Server.Responder(
            handler: { [self] in await current.respond(to: $0) }, reject: { [self] in current.respond(to: $0) },
            noteFailedHandshake: { [self] in current.noteFailedHandshake($0) })
    }

    private var current: Router { router.withLock { $0 } }
}
