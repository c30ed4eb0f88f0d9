/// How much of a response's body is there when the response is returned.
public enum ResponseBuffering: Sendable, Equatable {
    /// All of it, however long it takes. A body of more than ``ClientLimits/bodyBytes`` is an error.
    case whole
    /// All of a body of at most so many bytes, however long it takes. A longer one is streamed, and so is one for which the caller has
    /// no room left.
    case held(upTo: Int)
    /// All of a body whose stated length is at most so many bytes; a longer one is streamed. One of unknown length is held while the loop
    /// has room and no longer than `after`, so that an error in it, or that it is too large, can still be reported. An event stream
    /// (HTML, section 9.2) is streamed at once. Nil: it may take any time.
    case streamed(beyond: Int, after: Duration? = nil)

    /// Whether the body counts in the room of those that are held to their end.
    var isHeld: Bool {
        switch self {
        case .whole, .held: true
        case .streamed: false
        }
    }

    /// How long a body of unknown length is held.
    var time: Duration? { if case .streamed(_, let time) = self { time } else { nil } }

    /// Whether a body has to be streamed once `count` bytes of it have been received.
    ///
    /// - Parameter length: of all of it, if that is known.
    func isExceeded(by count: Int, of length: Int?) -> Bool {
        switch self {
        case .whole: false
        case .held(let limit): (length ?? count) > limit
        case .streamed(let limit, _): length.map { $0 > limit } ?? false
        }
    }
}
