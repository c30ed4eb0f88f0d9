/// Reads a pattern in PCRE2's syntax (pcre2pattern, 10.42). It knows the constructs that JavaScript has too, whatever their
/// spelling there, and rejects all others: back references, recursion, conditions, look-behinds, possessive and atomic groups, inline
/// options, verbs, quoting, and scripts.
struct PatternParser {
    /// The pattern holds something that is not known to be portable.
    struct NotPortable: Error {}

    private static let deepest = 40

    private let scalars: [Unicode.Scalar]
    private var position = 0

    private init(_ source: String) { scalars = Array(source.unicodeScalars) }

    /// - Parameter source: a pattern that PCRE2 has compiled.
    static func parse(_ source: String) throws(NotPortable) -> PatternSyntax {
        var parser = PatternParser(source)
        let syntax = try parser.alternatives(depth: 0)
        guard parser.position == parser.scalars.count else { throw NotPortable() }
        return syntax
    }

    private var next: Unicode.Scalar? { position < scalars.count ? scalars[position] : nil }

    private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        guard next == scalar else { return false }
        position += 1
        return true
    }

    private mutating func take(_ text: String) -> Bool {
        let wanted = Array(text.unicodeScalars)
        guard position + wanted.count <= scalars.count, Array(scalars[position..<position + wanted.count]) == wanted
        else {
            return false
        }
        position += wanted.count
        return true
    }

    private mutating func any() throws(NotPortable) -> Unicode.Scalar {
        guard let scalar = next else { throw NotPortable() }
        position += 1
        return scalar
    }

    private mutating func alternatives(depth: Int) throws(NotPortable) -> PatternSyntax {
        guard depth < Self.deepest else { throw NotPortable() }
        var items = [try sequence(depth: depth)]
        while take("|") { items.append(try sequence(depth: depth)) }
        return items.count == 1 ? items[0] : .alternatives(items)
    }

    private mutating func sequence(depth: Int) throws(NotPortable) -> PatternSyntax {
        var items: [PatternSyntax] = []
        while let scalar = next, scalar != "|", scalar != ")" {
            let item = try self.item(depth: depth)
            items.append(try repeated(item))
        }
        return items.isEmpty ? .empty : items.count == 1 ? items[0] : .sequence(items)
    }

    private mutating func item(depth: Int) throws(NotPortable) -> PatternSyntax {
        switch try any() {
        case "^": return .anchor(.start)
        case "$": return .anchor(.end)
        case ".": return .scalar(.init(isNegated: true, scalars: .lineFeed))
        case "(": return try group(depth: depth)
        case "[": return .scalar(try scalarClass())
        case "\\": return try escape()
        case "*", "+", "?": throw NotPortable()
        case let scalar: return literal(scalar)
        }
    }

    private func literal(_ scalar: Unicode.Scalar) -> PatternSyntax {
        .scalar(.init(scalars: ScalarSet([scalar.value...scalar.value])))
    }

    private mutating func group(depth: Int) throws(NotPortable) -> PatternSyntax {
        if next == "*" { throw NotPortable() }
        guard take("?") else {
            let item = try alternatives(depth: depth + 1)
            return try closed(.group(item))
        }
        if take(":") { return try closed(try alternatives(depth: depth + 1)) }
        if take("=") { return try closed(.lookAhead(try alternatives(depth: depth + 1), isNegative: false)) }
        if take("!") { return try closed(.lookAhead(try alternatives(depth: depth + 1), isNegative: true)) }
        guard take("<") || take("P<") else { throw NotPortable() }
        // A name; `=` and `!` would begin a look-behind. Nothing refers to groups by name, so names are dropped.
        while let scalar = next, scalar != ">" {
            guard scalar == "_" || scalar.isASCII && scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
            else {
                throw NotPortable()
            }
            position += 1
        }
        guard take(">") else { throw NotPortable() }
        return try closed(.group(try alternatives(depth: depth + 1)))
    }

    private mutating func closed(_ syntax: PatternSyntax) throws(NotPortable) -> PatternSyntax {
        guard take(")") else { throw NotPortable() }
        return syntax
    }

    /// The item with the quantifier that follows it, if there is one.
    private mutating func repeated(_ item: PatternSyntax) throws(NotPortable) -> PatternSyntax {
        let minimum: Int
        var maximum: Int?
        if take("*") {
            minimum = 0
        } else if take("+") {
            minimum = 1
        } else if take("?") {
            (minimum, maximum) = (0, 1)
        } else if let counts = counts() {
            (minimum, maximum) = counts
        } else {
            return item
        }
        let isLazy = take("?")
        let start = position
        // A possessive quantifier, or a quantifier of a quantifier.
        if take("+") || take("*") || take("?") || counts() != nil { throw NotPortable() }
        position = start
        switch item {
        case .anchor, .lookAhead, .empty: throw NotPortable()
        default: return .repetition(item, .init(minimum: minimum, maximum: maximum, isLazy: isLazy))
        }
    }

    /// `{n}`, `{n,}` or `{n,m}`. Anything else in braces is literal text.
    private mutating func counts() -> (Int, Int?)? {
        let start = position
        if take("{"), let minimum = number() {
            if take("}") { return (minimum, minimum) }
            if take(",") {
                if take("}") { return (minimum, nil) }
                if let maximum = number(), take("}") { return (minimum, maximum) }
            }
        }
        position = start
        return nil
    }

    private mutating func number() -> Int? {
        var value: Int?
        while let scalar = next, ("0"..."9").contains(scalar) {
            value = min(10 * (value ?? 0) + Int(scalar.value - 0x30), 100_000)
            position += 1
        }
        return value
    }

    private mutating func escape() throws(NotPortable) -> PatternSyntax {
        switch next {
        case "A":
            position += 1
            return .anchor(.start)
        case "z":
            position += 1
            return .anchor(.end)
        case "Z":
            position += 1
            return .anchor(.endOrFinalLineFeed)
        case "b":
            position += 1
            return .anchor(.wordBoundary)
        case "B":
            position += 1
            return .anchor(.notWordBoundary)
        case "N":
            position += 1
            // `\N{…}` names a character.
            if next == "{" { throw NotPortable() }
            return .scalar(.init(isNegated: true, scalars: .lineFeed))
        default:
            var result = PatternSyntax.ScalarClass()
            _ = try escapedClassItem(into: &result)
            return .scalar(result)
        }
    }

    /// Reads what follows a backslash and adds it to a class.
    /// - Returns: the character, if it is a single one.
    private mutating func escapedClassItem(
        into result: inout PatternSyntax.ScalarClass
    ) throws(NotPortable) -> Unicode.Scalar? {
        let letter = try any()
        switch letter {
        case "d": result.scalars = result.scalars.union(.digits)
        case "D": result.scalars = result.scalars.union(ScalarSet.digits.complement)
        case "w": result.scalars = result.scalars.union(.wordCharacters)
        case "W": result.scalars = result.scalars.union(ScalarSet.wordCharacters.complement)
        case "s": result.scalars = result.scalars.union(.whiteSpace)
        case "S": result.scalars = result.scalars.union(ScalarSet.whiteSpace.complement)
        case "h": result.scalars = result.scalars.union(.horizontalSpace)
        case "H": result.scalars = result.scalars.union(ScalarSet.horizontalSpace.complement)
        case "v": result.scalars = result.scalars.union(.verticalSpace)
        case "V": result.scalars = result.scalars.union(ScalarSet.verticalSpace.complement)
        case "p", "P": result.categories.append(try category(isNegated: letter == "P"))
        default:
            let scalar = try character(escapedBy: letter)
            result.scalars = result.scalars.union(ScalarSet([scalar.value...scalar.value]))
            return scalar
        }
        return nil
    }

    /// The single character that an escape stands for.
    private mutating func character(escapedBy letter: Unicode.Scalar) throws(NotPortable) -> Unicode.Scalar {
        switch letter {
        case "t": return "\t"
        case "n": return "\n"
        case "r": return "\r"
        case "f": return "\u{C}"
        case "a": return "\u{7}"
        case "e": return "\u{1B}"
        case "x": return try hexadecimal()
        default:
            // Letters and digits have, or may get, a meaning; everything else stands for itself.
            let isWord = letter.isASCII && (letter.properties.isAlphabetic || ("0"..."9").contains(letter))
            guard !isWord else { throw NotPortable() }
            return letter
        }
    }

    /// `\x{…}`, or `\x` with exactly two digits.
    private mutating func hexadecimal() throws(NotPortable) -> Unicode.Scalar {
        var value: UInt32 = 0
        var count = 0
        let isBraced = take("{")
        while let digit = next, count < (isBraced ? 6 : 2), let number = UInt32(String(digit), radix: 16) {
            value = value << 4 | number
            count += 1
            position += 1
        }
        guard isBraced ? take("}") && count > 0 : count == 2, let scalar = Unicode.Scalar(value) else {
            throw NotPortable()
        }
        return scalar
    }

    private mutating func category(
        isNegated: Bool
    ) throws(NotPortable) -> (category: CategoryName, isNegated: Bool) {
        var name = ""
        var isNegated = isNegated
        if take("{") {
            if take("^") { isNegated.toggle() }
            while let scalar = next, scalar != "}" {
                name.unicodeScalars.append(scalar)
                position += 1
            }
            guard take("}") else { throw NotPortable() }
        } else {
            name.unicodeScalars.append(try any())
        }
        guard let category = CategoryName(name) else { throw NotPortable() }
        return (category, isNegated)
    }

    /// A class in brackets, behind the opening one.
    private mutating func scalarClass() throws(NotPortable) -> PatternSyntax.ScalarClass {
        var result = PatternSyntax.ScalarClass()
        result.isNegated = take("^")
        var isFirst = true
        while isFirst || next != "]" {
            isFirst = false
            try classItem(into: &result)
        }
        position += 1
        return result
    }

    /// One character, range, escape or POSIX class.
    private mutating func classItem(into result: inout PatternSyntax.ScalarClass) throws(NotPortable) {
        if next == "[", position + 1 < scalars.count, [":", ".", "="].contains(scalars[position + 1]) {
            return try posixClass(into: &result)
        }
        guard let first = try classCharacter(into: &result) else {
            // A hyphen behind a class of characters is literal in PCRE2 and an error in JavaScript.
            if next == "-", position + 1 < scalars.count, scalars[position + 1] != "]" { throw NotPortable() }
            return
        }
        guard next == "-", position + 1 < scalars.count, scalars[position + 1] != "]" else { return }
        position += 1
        if next == "[" { throw NotPortable() }
        guard let last = try classCharacter(into: &result), first.value <= last.value else { throw NotPortable() }
        result.scalars = result.scalars.union(ScalarSet([first.value...last.value]))
    }

    /// - Returns: the character, if it is a single one.
    private mutating func classCharacter(
        into result: inout PatternSyntax.ScalarClass
    ) throws(NotPortable) -> Unicode.Scalar? {
        let scalar = try any()
        if scalar == "\\" {
            if take("b") {
                result.scalars = result.scalars.union(ScalarSet([0x08...0x08]))
                return "\u{8}"
            }
            return try escapedClassItem(into: &result)
        }
        result.scalars = result.scalars.union(ScalarSet([scalar.value...scalar.value]))
        return scalar
    }

    private mutating func posixClass(into result: inout PatternSyntax.ScalarClass) throws(NotPortable) {
        guard take("[:") else { throw NotPortable() }
        let isNegated = take("^")
        var name = ""
        while let scalar = next, scalar != ":", name.count < 8 {
            name.unicodeScalars.append(scalar)
            position += 1
        }
        guard take(":]"), let set = ScalarSet.posix(name) else { throw NotPortable() }
        result.scalars = result.scalars.union(isNegated ? set.complement : set)
        if next == "-", position + 1 < scalars.count, scalars[position + 1] != "]" { throw NotPortable() }
    }
}
