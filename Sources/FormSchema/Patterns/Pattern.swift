#if !hasFeature(Embedded)
internal import CPCRE2
internal import Synchronization

/// A regular expression from a form file: PCRE2 in UTF mode with ASCII classes, case-sensitive, compiled by the JIT, and
/// stopped by a match limit (`docs/reference/fields.md` section 6). Only this file and `CompiledPattern` use PCRE2; the engine for
/// browsers has `HostPattern` instead.
///
/// PCRE2's own limit is not enough: it restarts at each starting position, and the JIT does not count the backtracking of
/// single characters (`a*?a*?a*?x` takes cubic time under any limit). So text longer than `plainLength` is matched by a second
/// compilation, which counts every step and the distance from the step before.
///
/// Sound as `@unchecked Sendable`: compiled code is read-only, and each call has the kept workspace under its lock, or one of its
/// own.
final class Pattern: @unchecked Sendable {
    /// Where a match must stand.
    enum Scope {
        /// The match must be the whole text.
        case whole
        /// A match anywhere will do.
        case anywhere
    }

    /// A pattern that does not compile.
    struct Failure: Error {
        let message: String
        /// Characters before the mistake.
        let offset: Int
    }

    /// A pattern reached its limit, so it is not known whether the text matches.
    struct Exhausted: Error {}

    /// Longest text, in bytes, that is matched without counting steps; most codes, dates and numbers are no longer.
    private static let plainLength = 16

    private let compiled: CompiledPattern
    /// Whether it stands for a pattern that was not sent to this client, so that nothing is known of any text
    /// (`docs/reference/browser.md` section 5).
    private let isServerOnly: Bool
    private let spare = Mutex<Workspace?>(nil)

    /// Number of capture groups.
    var groupCount: Int { isServerOnly ? 99 : compiled.groupCount }

    /// - Parameter countsSteps: false for a pattern that is known to take linear time.
    init(_ source: String, _ scope: Scope, matchLimit: UInt32, countsSteps: Bool = true) throws(Failure) {
        compiled = try CompiledPattern(source, scope, matchLimit: matchLimit, countsSteps: countsSteps)
        isServerOnly = false
    }

    /// The substitute for a pattern that was not sent to this client.
    init(serverOnly scope: Scope) throws(Failure) {
        compiled = try CompiledPattern("", scope, matchLimit: 1, countsSteps: false)
        isServerOnly = true
    }

    /// A copy with a workspace of its own.
    init(copying original: Pattern) {
        compiled = original.compiled
        isServerOnly = original.isServerOnly
    }

    deinit { spare.withLock { $0 }?.free() }

    /// A search with its full budget.
    func newSearch() -> Search { Search(budget: Int(compiled.matchLimit)) }

    /// Whether the pattern matches `text` in its scope.
    func matches(_ text: String) throws(Exhausted) -> Bool {
        var search = newSearch()
        return try next(in: text, from: 0, options: 0, &search) { _ in true } ?? false
    }

    /// Calls `body` with the first match that begins at byte `start` or later; nil if there is none.
    ///
    /// Strings are UTF-8 always, so PCRE2 need not look again at each call: that would make replacing all matches take
    /// quadratic time.
    func next<Result: Sendable>(
        in text: String, from start: Int, options: UInt32, _ search: inout Search, _ body: (Groups) -> Result
    ) throws(Exhausted) -> Result? {
        if isServerOnly { throw Exhausted() }
        let found = try spare.withLockIfAvailable { (spare) throws(Exhausted) in
            let workspace: Workspace
            if let spare { workspace = spare } else { workspace = try newWorkspace() }
            spare = workspace
            return try next(in: text, from: start, options: options, workspace, &search, body)
        }
        if let found { return found }
        // Another thread is using the kept workspace.
        let workspace = try newWorkspace()
        defer { workspace.free() }
        return try next(in: text, from: start, options: options, workspace, &search, body)
    }

    private func next<Result>(
        in text: String, from start: Int, options: UInt32, _ workspace: Workspace, _ search: inout Search,
        _ body: (Groups) -> Result
    ) throws(Exhausted) -> Result? {
        var text = text
        let options = options | UInt32(PCRE2_NO_UTF_CHECK)
        let status = text.withUTF8 { bytes in
            guard let subject = bytes.baseAddress else {
                // An empty buffer may lack an address; the length of zero keeps PCRE2 from reading through this one.
                return withUnsafePointer(to: UInt8(0)) { match($0, 0, start, options, workspace, &search) }
            }
            return match(subject, bytes.count, start, options, workspace, &search)
        }
        if status == PCRE2_ERROR_NOMATCH { return nil }
        guard status > 0 else { throw Exhausted() }
        return body(Groups(vector: pcre2_get_ovector_pointer_8(workspace.matchData), count: Int(status)))
    }

    private func match(
        _ subject: UnsafePointer<UInt8>, _ count: Int, _ start: Int, _ options: UInt32, _ workspace: Workspace,
        _ search: inout Search
    ) -> Int32 {
        guard let counted = compiled.counted, let counting = workspace.counting, count > Self.plainLength else {
            return match(compiled.code, subject, count, start, options, workspace.matchData, compiled.context)
        }
        search.allow(bytes: count)
        return withUnsafeMutablePointer(to: &search) { search in
            // The context is this workspace's own, so no other call sees this call's count.
            pcre2_set_callout_8(counting, countStep, search)
            return match(counted, subject, count, start, options, workspace.matchData, counting)
        }
    }

    /// Straight to the JIT's code (pcre2jit, "JIT fast path API"). A deep pattern can outgrow its stack, and it cannot anchor a
    /// retry: that is the interpreter's, which keeps its stack on the heap.
    private func match(
        _ code: OpaquePointer, _ subject: UnsafePointer<UInt8>, _ count: Int, _ start: Int, _ options: UInt32,
        _ matchData: OpaquePointer, _ context: OpaquePointer
    ) -> Int32 {
        if options & UInt32(PCRE2_ANCHORED) == 0 {
            let status = pcre2_jit_match_8(code, subject, count, start, options, matchData, context)
            // The latter without a JIT.
            guard status == PCRE2_ERROR_JIT_STACKLIMIT || status == PCRE2_ERROR_JIT_BADOPTION else { return status }
        }
        return pcre2_match_8(code, subject, count, start, options | UInt32(PCRE2_NO_JIT), matchData, context)
    }

    private func newWorkspace() throws(Exhausted) -> Workspace {
        guard let matchData = pcre2_match_data_create_from_pattern_8(compiled.code, nil) else { throw Exhausted() }
        guard compiled.counted != nil else { return Workspace(matchData: matchData, counting: nil) }
        guard let counting = pcre2_match_context_copy_8(compiled.context) else {
            pcre2_match_data_free_8(matchData)
            throw Exhausted()
        }
        return Workspace(matchData: matchData, counting: counting)
    }

    /// The memory that a call writes: the offsets of its match, and the context with its step count. It holds no text, and the
    /// kept one is used under the lock.
    private struct Workspace: @unchecked Sendable {
        let matchData: OpaquePointer
        let counting: OpaquePointer?

        func free() {
            pcre2_match_data_free_8(matchData)
            pcre2_match_context_free_8(counting)
        }
    }
}

extension Pattern {
    /// How much work one search, over all its calls, may still do.
    ///
    /// As with PCRE2's own limit each starting position has one of its own; all of them together have ten times as much, so that
    /// text of some length may be looked through from everywhere (`\s+$`), and no more.
    struct Search {
        private let limit: Int
        private var remaining: Int
        private var remainingHere: Int
        private var allowance = 0
        private var start = 0
        private var position = 0

        init(budget: Int) {
            limit = budget
            remaining = 10 * budget
            remainingHere = budget
        }

        /// Makes room for a linear pass over the text: a limit that did not grow with it would refuse long text.
        fileprivate mutating func allow(bytes: Int) {
            guard allowance == 0 else { return }
            allowance = 16 * bytes
            remaining += allowance
            remainingHere += allowance
        }

        /// Counts a step and the distance from the last one: a run (`.*`, `a*+`, a back reference) is one step of any length.
        /// - Returns: whether the budget has anything left.
        fileprivate mutating func step(to newPosition: Int, from newStart: Int) -> Bool {
            if newStart != start {
                start = newStart
                remainingHere = limit + allowance
            }
            let cost = 1 + abs(newPosition &- position) / 4
            position = newPosition
            remaining -= cost
            remainingHere -= cost
            return remaining > 0 && remainingHere > 0
        }
    }

    /// The byte ranges of one match; valid only during the call that receives it.
    struct Groups {
        fileprivate let vector: UnsafeMutablePointer<Int>
        let count: Int

        /// The range of a group, 0 for the whole match; nil if the group took no part.
        func range(_ group: Int) -> Range<Int>? {
            guard group < count else { return nil }
            let start = vector[2 * group]
            let end = vector[2 * group + 1]
            // `\K` in a look-ahead can set the start behind the end; PCRE2_UNSET is the greatest unsigned number.
            return start >= 0 && end >= start ? start..<end : nil
        }
    }

    /// Options for the retry after an empty match, which must not be found again.
    static var notEmptyHere: UInt32 { UInt32(PCRE2_NOTEMPTY_ATSTART) | UInt32(PCRE2_ANCHORED) }
}

/// Called by PCRE2 at every step of a counted search; ends it when the count is used up.
private let countStep:
    @convention(c) (UnsafeMutablePointer<pcre2_callout_block_8>?, UnsafeMutableRawPointer?) -> Int32 = { block, data in
        // `data` points to the search of the call that is running, which outlives it.
        guard let block, let search = data?.assumingMemoryBound(to: Pattern.Search.self) else {
            return PCRE2_ERROR_CALLOUT
        }
        let isLeft = search.pointee.step(to: block.pointee.current_position, from: block.pointee.start_match)
        return isLeft ? 0 : PCRE2_ERROR_CALLOUT
    }
#endif
