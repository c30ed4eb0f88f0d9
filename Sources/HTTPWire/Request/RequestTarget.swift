/// The target of a request (RFC 9112 section 3.2), exactly as it was sent: nothing is decoded, no dot segments are removed.
public struct RequestTarget: Sendable {
    /// The four ways to write a target.
    public enum Form: Sendable, Hashable {
        /// `/path?query`.
        case origin
        /// `http://host/path?query`; its host replaces the Host header.
        case absolute
        /// `host:port`, only with CONNECT.
        case authority
        /// `*`, only with OPTIONS.
        case asterisk
    }

    /// Which of the four forms it has (RFC 9112 section 3.2).
    public let form: Form
    let bytes: [UInt8]
    let positions: TargetPositions

    init(bytes: [UInt8], positions: TargetPositions) {
        self.form = positions.form
        self.bytes = bytes
        self.positions = positions
    }

    /// The path, still percent-encoded: starts with `/`, except for `*` and, in authority form, the empty text.
    public var path: String {
        if positions.path.range.isEmpty, form == .absolute { return "/" }
        return bytes.span.text(positions.path.range)
    }

    /// The query without its `?`, still percent-encoded; `nil` if there is no `?`.
    public var query: String? { positions.query.map { bytes.span.text($0.range) } }

    /// Host and port as written in an absolute or authority form.
    public var authority: String? { positions.authority.map { bytes.span.text($0.range) } }

    /// The whole target as it was sent.
    public var text: String { bytes.span.text(positions.whole.range) }
}

/// The positions of a target's parts in the bytes of the head.
struct TargetPositions: Sendable, Equatable {
    let form: RequestTarget.Form
    let whole: Extent
    let authority: Extent?
    let path: Extent
    let query: Extent?

    init(
        form: RequestTarget.Form, whole: Range<Int>, authority: Range<Int>?, path: Range<Int>, query: Range<Int>?
    ) {
        self.form = form
        self.whole = Extent(whole)
        self.authority = authority.map(Extent.init)
        self.path = Extent(path)
        self.query = query.map(Extent.init)
    }
}

/// A target contains the bytes of its head, so printing or dumping it shows none of them.
extension RequestTarget: CustomReflectable {
    public var customMirror: Mirror { Mirror(self, children: ["form": form]) }
}
