public import Crypto

/// One use of a session that has a `maxRequests`, for the store to record before the request is carried out.
///
/// The store keeps one row for each such session: ``name``, a count, and the time at which it may be forgotten. In
/// one transaction it reads the row, passes what it kept to ``count(after:)``, keeps the result and makes it durable;
/// if the result is nil, nothing is written and the session is used up. Two processes of one vault that use the same
/// session at the same moment are serialised by the store, so that the count holds for all processes and restarts. A
/// use is spent even if the request then fails: its upstream may have seen it.
///
/// Limit: deleting the row gives a session its uses back. Writing to the database is outside what a session protects
/// from, and a session lasts 24 hours at most.
public struct SessionUse: Sendable, Equatable {
    /// 32 bytes that name the row.
    public let name: [UInt8]
    /// Unix seconds at which the row may be deleted: an hour after the session ends, in case a clock is set back.
    public let forgottenAt: Int64
    private let limit: UInt32

    /// Nil for a session whose uses are not counted.
    public init?(of session: SessionClaims) throws(CryptoError) {
        guard let maxRequests = session.maxRequests else { return nil }
        name = try SHA256.digest(Array("cloakroom session uses v1".utf8) + session.id.bytes)
        forgottenAt = session.expiresAt + SessionEnding.margin
        limit = UInt32(clamping: maxRequests)
    }

    /// What to keep after this use; nil if there are none left, or if what was kept is damaged.
    ///
    /// - Parameter kept: nil before the first use.
    public func count(after kept: [UInt8]?) -> [UInt8]? {
        var count: UInt32 = 0
        if let kept {
            guard let number = UInt32(bigEndianBytes: kept) else { return nil }
            count = number
        }
        guard count < limit else { return nil }
        return (count + 1).bigEndianBytes
    }
}
