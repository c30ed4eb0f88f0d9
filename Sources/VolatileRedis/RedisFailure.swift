import EventIO
import Vault

/// Why the server did not do what it was asked for. Of its errors it knows the first word alone: the rest may quote what they are about.
enum RedisFailure: Error, Sendable, Equatable {
    /// It can't be reached, or not as a server of Redis.
    case unreachable(String)
    /// It does not respond in time.
    case late
    /// The connection broke.
    case lost
    /// What it sends is no RESP.
    case protocolViolation
    /// It sends far more than was asked for.
    case tooMuch
    /// A value is larger than one reply may be.
    case valueTooLarge
    /// An error, by its first word.
    case refused(String)
    /// Its settings would let values reach a disk, or lose them before their end.
    case unsuitable([String])
    /// Too many commands wait.
    case busy
    /// The store is closed.
    case closed

    init(_ error: IOError) {
        switch error {
        case .timedOut: self = .late
        case .connectionLost, .closed, .cancelled: self = .lost
        default: self = .unreachable("\(error)")
        }
    }

    /// Whether the connection is of no more use: also that to a server that starts, is a replica, or wants other credentials.
    var endsConnection: Bool {
        switch self {
        case .refused(let word): Self.leaving.contains(word)
        case .busy, .closed, .valueTooLarge: false
        case .unreachable, .late, .lost, .protocolViolation, .tooMuch, .unsuitable: true
        }
    }

    /// Whether the command may have been carried out.
    var isUncertain: Bool {
        switch self {
        case .late, .lost, .protocolViolation, .tooMuch: true
        case .unreachable, .refused, .unsuitable, .busy, .closed, .valueTooLarge: false
        }
    }

    /// The same where nothing was sent yet: then nothing can have been carried out.
    var unsent: RedisFailure { isUncertain ? .unreachable(reason) : self }

    private static let leaving: Set = ["READONLY", "LOADING", "MASTERDOWN", "NOAUTH", "WRONGPASS", "MISCONF"]

    /// For a log and for `/health/ready`.
    var reason: String {
        switch self {
        case .unreachable(let reason): "Redis cannot be reached: \(reason)"
        case .late: "Redis took too long"
        case .lost: "the connection to Redis broke"
        case .protocolViolation: "what listens at the address of Redis does not speak its protocol"
        case .tooMuch: "Redis sends more than it was asked for"
        case .valueTooLarge: "a value in Redis is larger than can be read"
        case .refused("OOM"): "Redis has no memory left (maxmemory)"
        case .refused("READONLY"): "Redis is a replica: name the server that takes writes"
        case .refused("LOADING"): "Redis is starting"
        case .refused("NOAUTH"), .refused("WRONGPASS"): "Redis refuses the credentials"
        case .refused("NOPERM"): "Redis does not permit the user what the vault needs"
        case .refused("MOVED"), .refused("ASK"), .refused("CLUSTERDOWN"):
            "Redis is a cluster, which is not supported: name a server of its own"
        case .refused(let word): "Redis refuses a command (\(word))"
        case .unsuitable(let settings): "Redis must not be used as it is set: \(settings.joined(separator: "; "))"
        case .busy: "too many requests are waiting for Redis"
        case .closed: "the connection to Redis is closed"
        }
    }
}
