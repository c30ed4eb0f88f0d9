/// Something that was done with values or keys, or that a caller was refused (PCI DSS 4.0, requirement 10.2). It never holds
/// a value, and only aliases that exist: what a caller sends as an alias may be anything.
public struct AuditEvent: Sendable {
    /// What was done or asked for.
    public enum Action: String, Sendable {
        case start, stop, create, reveal, update, delete
        /// A value in an upstream's response became an alias before the caller saw it.
        case redact
        case rotateKey = "keys.rotate"
        case rewrap = "keys.rewrap"
        case changeMasterKey = "keys.master"
        /// A send of a form, or a call of a reveal route. Recorded only if it was refused: what is created or revealed for it has events of
        /// its own.
        case send
        /// The log can be written again; `count` calls were refused meanwhile.
        case resume
        /// A card number was found where none is meant to be.
        case cardNumber
        /// A caller was stopped that tried values for the hidden characters of an alias.
        case guess
        /// Values reached their end and were erased with their aliases.
        case expire
        /// All values with a classifier were asked to be erased, or have been.
        case erase
        /// The vault was copied.
        case backup
        /// Free space of the vault's file was given back.
        case compact
        /// The oldest lines of this log were removed, as `audit.keep` says.
        case drop
        /// What the vault has stored of the end of this log.
        case anchor
        /// The configuration was read again; `keys` names what has changed in it.
        case reload
        /// A session, or an access token of the token endpoint.
        case createSession = "sessions.create"
        /// A session ended before its time.
        case endSession = "sessions.end"
    }

    /// How it ended.
    public enum Outcome: String, Sendable {
        case done
        /// It is carried out beside other requests; another event says how it ended, unless the command that carries it out is killed.
        case begun
        /// An alias was unknown or had expired: nothing was done.
        case unknown
        /// A record was not what the vault wrote: nothing was done, unless it was to be deleted or erased. Then it was.
        case damaged
        /// No credential, or one that is not known.
        case unauthorized
        /// The caller is known and may not do this (scope, form, route, classifier, address), or has tried too many values.
        case forbidden
        /// This log could not be written: nothing was revealed.
        case unrecorded
        case failed
        /// A sync that failed, or a connection that broke, leaves open whether it was done.
        case uncertain
        /// It has ended, and `count` values or responses were left as they were.
        case incomplete
        /// At start: the log has fewer lines than its head says.
        case cut
        /// At start: there are lines, but no head.
        case headless
        /// At start: behind the last line stood lines that this log has not written. They stay where they are.
        case forged
        /// At start: behind the last line stood lines in part, as a power cut leaves them; they are kept beside the log.
        case torn
        /// At start: there was a log of another vault, which was set aside.
        case foreign
    }

    /// What was done or asked for.
    public let action: Action
    /// How it ended.
    public let outcome: Outcome
    /// Name of the request in logs and responses.
    public let requestID: String?
    /// As the configuration names it; nil if the caller was not recognised.
    public let credential: String?
    /// The client's address; nil for what the process does itself.
    public let address: String?
    /// The `jti` of the session or token that the caller presented; nil if it presented none.
    public let session: String?
    /// The identity provider whose token the caller presented: then `credential` is the token's subject.
    public let issuer: String?
    /// The route whose upstream gets the values, or gave them.
    public let route: String?
    /// Those that were made, revealed, changed or deleted.
    public let aliases: [String]
    /// How many were asked for.
    public let count: Int
    /// The erasure by classifier that it is about, as `GET /erasures/{id}` names it. Its aliases are not listed: it may have millions.
    public let erasure: String?
    /// Where card numbers were found: pointers, offsets and names of headers, never the numbers.
    public let places: [String]
    /// The lines that are removed.
    let removed: RemovedLines?
    /// Key paths of the configuration, never their values.
    public let keys: [String]
    /// Unix milliseconds.
    public let time: Int64

    /// - Parameters:
    ///   - count: how many aliases or values were asked for; nil: as many as `aliases`.
    ///   - erasure: the id of the erasure by classifier that it is about.
    ///   - time: Unix milliseconds; nil: now.
    public init(
        _ action: Action, _ outcome: Outcome = .done, requestID: String? = nil, credential: String? = nil,
        address: String? = nil, session: String? = nil, issuer: String? = nil, route: String? = nil,
        aliases: [String] = [], count: Int? = nil, erasure: String? = nil, places: [String] = [],
        keys: [String] = [], time: Int64? = nil
    ) {
        self.action = action
        self.outcome = outcome
        self.requestID = requestID
        self.credential = credential
        self.address = address
        self.session = session
        self.issuer = issuer
        self.route = route
        self.aliases = aliases
        self.count = count ?? aliases.count
        self.erasure = erasure
        self.places = places
        removed = nil
        self.keys = keys
        self.time = time ?? AuditText.now
    }

    /// The event of removing these lines.
    init(dropping removed: RemovedLines) {
        action = .drop
        outcome = .done
        (requestID, credential, address, session, issuer, route, erasure) = (nil, nil, nil, nil, nil, nil, nil)
        (aliases, count, places, keys) = ([], 0, [], [])
        self.removed = removed
        time = AuditText.now
    }

    /// What is recorded of an event that should have been recorded before it happened, and was not: it did not happen.
    var unrecorded: AuditEvent {
        AuditEvent(
            action, .unrecorded, requestID: requestID, credential: credential, address: address, session: session,
            issuer: issuer, route: route, count: count, erasure: erasure, keys: keys, time: time)
    }

    /// The members of its line.
    public var members: [UInt8] {
        var text = AuditText(capacity: 384)
        text.append("\"time\":\"")
        text.append(instant: time)
        text.append("\",\"event\":")
        text.append(string: action.rawValue)
        text.append(",\"outcome\":")
        text.append(string: outcome.rawValue)
        if let requestID {
            text.append(",\"requestId\":")
            text.append(string: requestID)
        }
        if let credential {
            text.append(",\"credential\":")
            text.append(string: credential)
        }
        if let address {
            text.append(",\"address\":")
            text.append(string: address)
        }
        if let session {
            text.append(",\"session\":")
            text.append(string: session)
        }
        if let issuer {
            text.append(",\"issuer\":")
            text.append(string: issuer)
        }
        if let route {
            text.append(",\"route\":")
            text.append(string: route)
        }
        if !places.isEmpty {
            text.append(",\"places\":[")
            for index in places.indices {
                if index > 0 { text.append(",") }
                text.append(string: places[index])
            }
            text.append("]")
        }
        if let removed {
            text.append(",\"from\":")
            text.append(removed.first)
            text.append(",\"through\":")
            text.append(removed.last.sequence)
            text.append(",\"code\":")
            text.append(string: removed.last.digits)
        }
        if !keys.isEmpty {
            text.append(",\"keys\":[")
            for index in keys.indices {
                if index > 0 { text.append(",") }
                text.append(string: keys[index])
            }
            text.append("]")
        }
        if count > 0 || !aliases.isEmpty {
            text.append(",\"count\":")
            text.append(count)
            text.append(",\"aliases\":[")
            for index in aliases.indices {
                if index > 0 { text.append(",") }
                text.append(string: aliases[index])
            }
            text.append("]")
        }
        if let erasure {
            text.append(",\"erasure\":")
            text.append(string: erasure)
        }
        return text.bytes
    }
}
