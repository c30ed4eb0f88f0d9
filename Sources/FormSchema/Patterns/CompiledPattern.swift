#if !hasFeature(Embedded)
internal import CPCRE2

/// A pattern compiled by PCRE2. It is read-only afterwards (pcre2api, "Multithreading"), so copies of a pattern share it, and it
/// may be `@unchecked Sendable`.
final class CompiledPattern: @unchecked Sendable {
    let code: OpaquePointer
    /// The same with step counting; nil for a pattern that is known to take linear time.
    let counted: OpaquePointer?
    let context: OpaquePointer
    let matchLimit: UInt32
    /// Number of capture groups.
    let groupCount: Int

    init(
        _ source: String, _ scope: Pattern.Scope, matchLimit: UInt32, countsSteps: Bool
    ) throws(Pattern.Failure) {
        let code = try Self.compile(source, scope, counting: false)
        var counted: OpaquePointer?
        do throws(Pattern.Failure) {
            // A pattern too large for the counting compilation is refused: nothing would bound its time on long text.
            if countsSteps { counted = try Self.compile(source, scope, counting: true) }
        } catch {
            pcre2_code_free_8(code)
            throw error
        }
        guard let context = pcre2_match_context_create_8(nil) else {
            pcre2_code_free_8(code)
            if let counted { pcre2_code_free_8(counted) }
            throw Pattern.Failure(message: "out of memory", offset: 0)
        }
        pcre2_set_match_limit_8(context, matchLimit)
        var groups: UInt32 = 0
        pcre2_pattern_info_8(code, UInt32(PCRE2_INFO_CAPTURECOUNT), &groups)
        self.code = code
        self.counted = counted
        self.context = context
        self.matchLimit = matchLimit
        groupCount = Int(groups)
    }

    deinit {
        pcre2_match_context_free_8(context)
        pcre2_code_free_8(code)
        if let counted { pcre2_code_free_8(counted) }
    }

    private static func compile(
        _ source: String, _ scope: Pattern.Scope, counting: Bool
    ) throws(Pattern.Failure) -> OpaquePointer {
        // Start optimisations of PCRE2 10.42 miss matches of some patterns that begin with a look-ahead: `(?=4)(?:.4|4)\\d{3}`
        // is not found in `4123`. `$` is the end of the text, as in browsers, and no place before a line end.
        var options =
            UInt32(PCRE2_UTF) | UInt32(PCRE2_NEVER_UCP) | UInt32(PCRE2_NEVER_BACKSLASH_C)
            | UInt32(PCRE2_NO_START_OPTIMIZE) | UInt32(PCRE2_DOLLAR_ENDONLY)
        if scope == .whole { options |= UInt32(PCRE2_ANCHORED) | UInt32(PCRE2_ENDANCHORED) }
        // Without automatic possession every repetition and backtrack passes a callout: counting them, and the way from one to the
        // next, counts the work.
        if counting {
            options |= UInt32(PCRE2_AUTO_CALLOUT) | UInt32(PCRE2_NO_AUTO_POSSESS)
        }
        var number: Int32 = 0
        var offset = 0
        var bytes = Array(source.utf8)
        // An empty array has no base address; PCRE2 takes a length of zero only with one.
        let count = bytes.count
        bytes.append(0)
        guard let code = pcre2_compile_8(bytes, count, options, &number, &offset, nil) else {
            var text = [UInt8](repeating: 0, count: 256)
            let length = pcre2_get_error_message_8(number, &text, text.count)
            let message = String(decoding: text.prefix(max(0, Int(length))), as: UTF8.self)
            throw Pattern.Failure(message: message, offset: String(decoding: bytes.prefix(offset), as: UTF8.self).count)
        }
        // Without the JIT (another processor, a hardened kernel) the interpreter gives the same results.
        pcre2_jit_compile_8(code, UInt32(PCRE2_JIT_COMPLETE))
        return code
    }
}

/// The PCRE2 library.
public enum PatternLibrary {
    /// Version and date, such as `10.42 2022-12-11`.
    public static var version: String {
        var text = [CChar](repeating: 0, count: 64)
        // Sound: PCRE2 writes at most the number of bytes that it returns for a null pointer, its zero byte included.
        guard pcre2_config_8(UInt32(PCRE2_CONFIG_VERSION), nil) <= Int32(text.count) else { return "" }
        pcre2_config_8(UInt32(PCRE2_CONFIG_VERSION), &text)
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
#endif
