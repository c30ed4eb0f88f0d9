import JSON

/// Something that was done with values or keys, or that somebody was kept from doing (PCI DSS 4.0, requirement 10.2). It
/// never holds a value; and aliases only if they exist, for what a caller takes for an alias may be anything.
struct AuditEvent: Sendable {
    enum Action: String, Sendable {
        case start, stop, create, reveal, update, delete
        /// A value of an upstream's answer became an alias before the caller saw it.
        case redact
        case rotateKey = "keys.rotate"
        case rewrap = "keys.rewrap"
        case changeMasterKey = "keys.master"
        /// A call of the client plane that ends in no vault.
        case send
        /// The log can be written again.
        case resume
    }

    enum Outcome: String, Sendable {
        case done
        /// An alias was unknown or had expired: nothing was done.
        case unknown
        /// No credential, or one that is not known.
        case unauthorized
        /// The credential lacks the scope.
        case forbidden
        /// This log could not be written: nothing was revealed.
        case unrecorded
        case failed
        /// A record was not what the vault wrote: nothing was done.
        case damaged
        /// At start: the log has fewer lines than its head says.
        case cut
        /// At start: there are lines, but no head.
        case headless
        /// At start: behind the last line stood lines that this log has not written. They stay where they are.
        case forged
        /// At start: there was a log of another vault, which was set aside.
        case foreign
    }

    let action: Action
    let outcome: Outcome
    /// Name of the request in logs and answers.
    let requestID: String?
    /// As the configuration names it; nil if nobody was recognised.
    let credential: String?
    /// The route whose upstream gets the values, or gave them.
    let route: String?
    /// Those that were made, revealed, changed or deleted.
    let aliases: [String]
    /// How many were asked for.
    let count: Int
    /// Unix milliseconds.
    let time: Int64

    init(
        _ action: Action, _ outcome: Outcome = .done, requestID: String? = nil, credential: String? = nil,
        route: String? = nil, aliases: [String] = [], count: Int? = nil, time: Int64 = WallClock.milliseconds
    ) {
        self.action = action
        self.outcome = outcome
        self.requestID = requestID
        self.credential = credential
        self.route = route
        self.aliases = aliases
        self.count = count ?? aliases.count
        self.time = time
    }

    /// What is told of an event that should have been recorded before it happened, and was not: it did not happen.
    var unrecorded: AuditEvent {
        AuditEvent(
            action, .unrecorded, requestID: requestID, credential: credential, route: route, count: count, time: time)
    }

    /// The members of its line.
    var members: [UInt8] {
        var json = JSONWriter(capacity: 384)
        write(into: &json)
        return json.bytes
    }

    private func write(into json: inout JSONWriter) {
        json.raw(#""time":"#)
        json.string(InstantText.milliseconds(time))
        json.raw(#","event":"#)
        json.string(action.rawValue)
        json.raw(#","outcome":"#)
        json.string(outcome.rawValue)
        if let requestID {
            json.key("requestId")
            json.string(requestID)
        }
        if let credential {
            json.key("credential")
            json.string(credential)
        }
        if let route {
            json.key("route")
            json.string(route)
        }
        guard count > 0 || !aliases.isEmpty else { return }
        json.key("count")
        json.number(count)
        json.key("aliases")
        json.strings(aliases)
    }
}
