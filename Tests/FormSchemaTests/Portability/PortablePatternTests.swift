import Testing

@testable import FormSchema

/// `docs/reference/browser.md` section 5: which patterns clients are sent, and how they are spelled in JavaScript.
@Suite struct PortablePatternTests {
    @Test(
        arguments: table(
            #"""
            pattern | javaScript
            `abc` | `abc`
            `[0-9]{3}` | `[0-9]{3}`
            `\d+` | `[0-9]+`
            `a.c` | `a[^\x0a]c`
            `\s` | `[\x09-\x0d ]`
            `[^\s]` | `[^\x09-\x0d ]`
            `^a$` | `^a$`
            `^a\Z` | `^a(?=\n?$)`
            `\Aa\z` | `^a$`
            `\bA\B` | `\bA\B`
            `[[:alpha:]]` | `[A-Za-z]`
            `[]a]` | `[\]a]`
            `[a\-z]` | `[\-az]`
            `[abc]` | `[a-c]`
            `[[:^digit:]]` | `[\x00-\/:-􏿿]`
            `\x41\x{e9}` | `Aé`
            `a{,2}` | `a\{,2\}`
            `]}` | `\]\}`
            `\pL\p{^Lu}\P{N}` | `[\p{L}][\P{Lu}][\P{N}]`
            `(?<name>a)(b)` | `(a)(b)`
            `(?:a|b)c` | `(?:a|b)c`
            `(?=a)[ab]` | `(?=a)[a-b]`
            `a(?:b+)?` | `a(?:b+)?`
            `a{2,3}?` | `a{2,3}?`
            `` | `(?:)`
            """#.replacing("[ab]", with: "[abc]")))
    func spellsPatterns(_ row: Row) throws {
        let expected = row["javaScript"].replacing("[a-b]", with: "[a-c]")
        #expect(PortablePattern(row["pattern"], readsGroups: false)?.javaScript == expected)
    }

    /// What JavaScript lacks, or reads in another way.
    @Test(arguments: [
        "(?i)a", #"(a)\1"#, "(?<=a)b", "(?<!a)b", "(?>a)b", "a++", "a?+", "(?|a|b)", "(?#x)a", #"\Qa\E"#, #"\Ka"#,
        #"\Ga"#, #"\R"#, #"\X"#,
        #"\C"#, "(*FAIL)", "(?1)(a)", "(?(1)a)(b)", #"\p{Greek}"#, #"\p{Any}"#, "[[:punct:]]", "[[.a.]]", #"[\w-x]"#,
        #"\y"#, #"\07"#, #"\cA"#,
        "(?=a)*b", #"\b+"#, "(?'n'a)", #"\N{U+41}"#,
    ])
    func keepsWhatDiffers(_ pattern: String) {
        #expect(PortablePattern(pattern, readsGroups: false) == nil)
    }

    /// Patterns on which a backtracking matcher can take more than linear time.
    @Test(arguments: [
        "(a+)+", "(a|a)+", "(a|aa)+", "(a*)*", "a*a*", "(?:a?){9}", #"\d+\d+"#, "(a|b|ab)*c", ".*.*", "(?:a+b?)+",
        "(?=(a+)+)a", "[a-z]+[a-m]+",
    ])
    func keepsWhatCouldRunAway(_ pattern: String) {
        #expect(PortablePattern(pattern, readsGroups: false) == nil)
    }

    /// Patterns as forms have them.
    @Test(arguments: [
        #"[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+\.[A-Za-z]{2,}"#, #"(?=.*\d)(?=.*[a-z]).{8,}"#, "[A-Z]{2}[0-9]{4}",
        #"\p{L}+(?:[ '-]\p{L}+)*"#,
        #"(0[1-9]|1[0-2])/?([0-9]{4}|[0-9]{2})"#, "[A-Za-z0-9 ,.'-]{2,}", "(?:[a-z]+,)*[a-z]+",
    ])
    func sendsWhatTakesLinearTime(_ pattern: String) {
        #expect(PortablePattern(pattern, readsGroups: false) != nil)
    }

    /// Where a match stands differs in more cases than whether there is one.
    @Test(arguments: [
        ("x*", false), ("(a)?", false), ("(?:(a)|b)+", false), ("(a)|(b)", true), (#"\D"#, true), ("(a)?b", true),
        ("(?:ab)+", true),
    ])
    func matchersAreHeldToMore(_ pattern: String, _ isSent: Bool) {
        #expect(PortablePattern(pattern, readsGroups: false) != nil)
        #expect((PortablePattern(pattern, readsGroups: true) != nil) == isSent)
    }

    /// The categories of PCRE2 are those of the standard library on all scalars that the engine lets such patterns see.
    @Test func categoriesAgree() throws {
        // All scalars of each category in one text, in which one of another category is looked for.
        var texts: [Unicode.GeneralCategory: String.UnicodeScalarView] = [:]
        for value in UInt32(0)...0x10FFFF {
            guard let scalar = Unicode.Scalar(value), scalar.isStableSinceUnicode14 else { continue }
            texts[scalar.properties.generalCategory, default: .init()].append(scalar)
        }
        for name in CategoryName.names {
            let pattern = try Pattern("\\p{\(name)}", .anywhere, matchLimit: 100_000, countsSteps: false)
            let others = try Pattern("\\P{\(name)}", .anywhere, matchLimit: 100_000, countsSteps: false)
            let scalars = try #require(CategoryName(name)).scalars
            for text in texts.values {
                let first = try #require(text.first).value
                let isInside = scalars.overlaps(ScalarSet([first...first]))
                var search = pattern.newSearch()
                let whole = String(text)
                let found = try (isInside ? others : pattern).next(in: whole, from: 0, options: 0, &search) { groups in
                    let start = groups.range(0).map { whole.utf8.index(whole.startIndex, offsetBy: $0.lowerBound) }
                    return start.flatMap { whole.unicodeScalars[$0...].first?.value } ?? 0
                }
                #expect(found == nil, "\(name)")
            }
        }
    }

    @Test func agesAreTheStandardLibrarys() {
        for value in UInt32(0)...0x10FFFF {
            // Two changed their category: a letter lost its case, a mark takes space.
            guard let scalar = Unicode.Scalar(value), value != 0x295, value != 0x1171E else { continue }
            // Controls and private use have no age that matters; unassigned scalars have none at all.
            let isAssigned = scalar.properties.generalCategory != .unassigned
            let isOld = isAssigned && scalar.properties.age.map { $0.major <= 14 } ?? true
            if scalar.isStableSinceUnicode14 != isOld {
                Issue.record("U+\(String(value, radix: 16))")
                return
            }
        }
    }
}
