import Crypto
import Sensitive

/// What the values of one request may still take, each as often as an alias names it: a short request can name long values, and each by a
/// thousand aliases. Sizes are known before anything is opened.
public struct RevealRoom: Sendable {
    private let limit: Int
    private var left: Int
    private var takesAny: Bool
    private let share: (any RevealShare)?

    /// - Parameters:
    ///   - limit: bytes of all values with what is returned with them.
    ///   - takesOne: whether the first has room whatever its size: what could be stored can be revealed.
    ///   - share: what the request has of the room for all requests; nil if what it opens is not returned.
    init(_ limit: Int, takesOne: Bool = false, of share: (any RevealShare)? = nil) {
        self.limit = limit
        left = limit
        takesAny = takesOne
        self.share = share
    }

    /// Bytes that were taken.
    var taken: Int { limit - left }

    /// Throws `revealTooLarge` if there are fewer left, and `revealsBusy` if the share has no room for them. Whole KiB are taken: what just
    /// fits would tell a caller otherwise how long a value is that it may not reach, which is known only behind this.
    mutating func take(_ bytes: Int) throws(VaultError) {
        let bytes = (max(0, bytes) + 1_023) & ~1_023
        guard bytes <= left || takesAny else { throw .revealTooLarge(limit: limit) }
        takesAny = false
        left -= bytes
        guard share?.grow(to: taken) ?? true else { throw .revealsBusy }
    }

    /// The same for a value that is sealed in so many bytes.
    public mutating func take(sealed count: Int) throws(VaultError) { try take(XAES256GCM.openedSize(ofSealed: count)) }
}

/// What one request has of the room for values that were opened and have not been returned yet, which all requests share. It is asked before
/// a value is opened, on any thread.
public protocol RevealShare: Sendable {
    /// Makes it so many bytes, if it is smaller. Returns false, and leaves it as it was, if there is no room for them now. A reading that is
    /// done again counts from its start.
    func grow(to bytes: Int) -> Bool
}

extension ValueRecord {
    /// Bytes of the value and its classifiers.
    var openedSize: Int { XAES256GCM.openedSize(ofSealed: sealed.count) + classifiers.byteCount }
}

extension VolatileRecord {
    /// Bytes of the value and its classifiers.
    var openedSize: Int { size + classifiers.byteCount }

    /// Bytes of the value, its classifiers and its aliases.
    var returnedSize: Int { openedSize + aliases.map(\.alias).byteCount }
}

extension [String] {
    /// Bytes of all of them.
    var byteCount: Int { reduce(0) { $0 + $1.utf8.count } }
}

extension VaultConfiguration {
    /// Bytes that are opened on the loop of the request: a tenth of a millisecond.
    private static let loopLimit = 65_536

    /// Opens values of so many bytes: on the caller's executor, unless they are large.
    @inline(__always)
    func open<Value>(_ bytes: Int, _ open: () throws(VaultError) -> Value) async throws(VaultError) -> Value {
        guard bytes > Self.loopLimit, let executor = largeValues() else { return try open() }
        return try await withTaskExecutorPreference(executor) { () async throws(VaultError) -> Value in try open() }
    }
}
