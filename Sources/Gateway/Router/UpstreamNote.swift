import EventHTTP

/// What goes with an answer that an upstream was asked for, besides its status. A class: answers are handed on by every function
/// that a request passes, and stay small.
final class UpstreamNote: Sendable {
    /// The route whose upstream was asked.
    let route: String
    /// How long that took, until there was an answer to be passed on, or none; nil if it was not measured.
    let microseconds: Int64?
    /// Goes with the upstream's body, if it is large.
    let held: BufferedBytes?

    init(route: String, microseconds: Int64?, held: BufferedBytes? = nil) {
        self.route = route
        self.microseconds = microseconds
        self.held = held
    }
}
