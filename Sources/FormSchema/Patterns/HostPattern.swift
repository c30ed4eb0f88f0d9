#if hasFeature(Embedded)

/// A regular expression in the engine for browsers: the host's `RegExp`, called through three imported functions. It has the
/// interface of the server's `Pattern`, and receives only sources that `PortablePattern` has found to mean the same in both
/// (`docs/reference/browser.md` section 5).
final class Pattern: @unchecked Sendable {
    /// Where a match must stand.
    enum Scope {
        /// The match must be the whole text.
        case whole
        /// A match anywhere will do.
        case anywhere
    }

    /// The source does not compile.
    struct Failure: Error {
        let message: String
        let offset: Int
    }

    /// It cannot be told here whether the text matches: only the server can.
    struct Exhausted: Error {}

    /// The longest text that is matched, in bytes. The server bounds the steps of a match, which cannot be observed here; text of
    /// this length stays below its bound. A search starts at each character, so its bound is lower.
    private static func longestText(_ scope: Scope) -> Int { scope == .whole ? 1_024 : 256 }

    /// Nil for the substitute of a pattern that was not sent to this client.
    private let number: Int32?
    private let longest: Int
    /// Whether it tests Unicode properties, whose tables differ with the version of Unicode.
    private let usesProperties: Bool
    /// Number of capture groups.
    let groupCount: Int

    /// - Parameters:
    ///   - matchLimit: ignored, as is `countsSteps`.
    init(_ source: String, _ scope: Scope, matchLimit: UInt32, countsSteps: Bool = true) throws(Failure) {
        var source = source
        var groups: Int32 = 0
        let number = source.withUTF8 { source in
            hostCompile(source.baseAddress, Int32(source.count), scope == .whole ? 1 : 0, &groups)
        }
        self.number = number
        guard number >= 0 else { throw Failure(message: "not a regular expression", offset: 0) }
        groupCount = Int(groups)
        longest = Self.longestText(scope)
        var previous: UInt8 = 0
        var usesProperties = false
        for byte in source.utf8 {
            if previous == UInt8(ascii: "\\"), byte | 0x20 == UInt8(ascii: "p") { usesProperties = true }
            // A backslash that is itself escaped does not begin a property.
            previous = previous == UInt8(ascii: "\\") ? 0 : byte
        }
        self.usesProperties = usesProperties
    }

    /// The substitute for a pattern that was not sent to this client.
    init(serverOnly scope: Scope) throws(Failure) {
        number = nil
        longest = 0
        usesProperties = false
        groupCount = 99
    }

    /// Not used in the engine, which does not copy forms.
    init(copying original: Pattern) {
        number = original.number
        longest = original.longest
        usesProperties = original.usesProperties
        groupCount = original.groupCount
    }

    /// The state of one search; the host has none.
    struct Search {}

    func newSearch() -> Search { Search() }

    /// Whether the pattern matches `text` in its scope.
    func matches(_ text: String) throws(Exhausted) -> Bool {
        var search = Search()
        return try next(in: text, from: 0, options: 0, &search) { _ in true } ?? false
    }

    /// Calls `body` with the first match that begins at byte `start` or later; nil if there is none.
    func next<Result>(
        in text: String, from start: Int, options: UInt32, _ search: inout Search, _ body: (Groups) -> Result
    ) throws(Exhausted) -> Result? {
        guard let number, text.utf8.count <= longest, !usesProperties || isAssigned(text) else { throw Exhausted() }
        // Matchers that match empty text are not sent, so there is nothing to retry after an empty match.
        guard options == 0 else { return nil }
        var text = text
        var ranges = [Int32](repeating: -1, count: 2 * (groupCount + 1))
        let status = text.withUTF8 { bytes in
            ranges.withUnsafeMutableBufferPointer { ranges in
                hostMatch(
                    number, bytes.baseAddress, Int32(bytes.count), Int32(start), ranges.baseAddress, Int32(ranges.count)
                )
            }
        }
        guard status >= 0 else { throw Exhausted() }
        return status == 0 ? nil : body(Groups(ranges: ranges))
    }

    /// Whether all scalars are assigned in Unicode 14, the version of PCRE2 10.42: those assigned later have properties here that
    /// they lack on the server.
    private func isAssigned(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy { $0.isStableSinceUnicode14 }
    }

    /// The byte ranges of one match.
    struct Groups {
        fileprivate let ranges: [Int32]
        var count: Int { ranges.count / 2 }

        /// The range of a group, 0 for the whole match; nil if the group took no part.
        func range(_ group: Int) -> Range<Int>? {
            guard group < count, ranges[2 * group] >= 0, ranges[2 * group + 1] >= ranges[2 * group] else { return nil }
            return Int(ranges[2 * group])..<Int(ranges[2 * group + 1])
        }
    }

    /// The option of a retry after an empty match, which finds nothing here.
    static var notEmptyHere: UInt32 { 1 }
}

/// Compiles a source to a `RegExp`.
/// - Parameter groups: receives the number of capture groups.
/// - Returns: the number of the expression; negative if the source is not valid.
@_extern(wasm, module: "host", name: "compile") @_extern(c)
private func hostCompile(
    _ source: UnsafePointer<UInt8>?, _ count: Int32, _ isWhole: Int32, _ groups: UnsafeMutablePointer<Int32>?
) -> Int32

/// Finds the first match at byte `start` or later.
/// - Parameter ranges: receives the start and end of each group in bytes; -1 for a group that took no part.
/// - Returns: 1 for a match, 0 for none, negative if the host failed.
@_extern(wasm, module: "host", name: "match") @_extern(c)
private func hostMatch(
    _ pattern: Int32, _ text: UnsafePointer<UInt8>?, _ count: Int32, _ start: Int32,
    _ ranges: UnsafeMutablePointer<Int32>?, _ rangeCount: Int32
) -> Int32

#endif
