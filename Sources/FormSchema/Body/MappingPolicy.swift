internal import JSON

/// One step of a path into a body.
enum PathElement: Sendable {
    case key(String)
    case index(Int)
}

/// How field names become places in a body (`docs/reference/fields.md` section 11).
enum MappingPolicy: String, Sendable, CaseIterable {
    case flatJSON
    case nestedJSON
    case nestedJSONWithArrayOverwrite
    case nestedJSONWithArrayMerge

    var usesArrays: Bool { self == .nestedJSONWithArrayOverwrite || self == .nestedJSONWithArrayMerge }

    /// The greatest array index that a name may hold.
    static let maximumIndex = 999

    /// The most steps that a name may have: a body is written by recursion here, and read by recursion in most servers.
    static let maximumDepth = 64

    /// Why a name has no place in a body.
    enum Unplaceable: String, Error {
        case indexTooLarge = "an array index may be 999 at most"
        case tooDeep = "may have 64 components at most"
    }

    /// Where `name` stands. Empty if the name has no component that is not empty.
    func path(of name: String) throws(Unplaceable) -> [PathElement] {
        let parts = name.utf8.split(separator: UInt8(ascii: "."))
        if self == .flatJSON { return parts.isEmpty ? [] : [.key(name)] }
        var path: [PathElement] = []
        for part in parts {
            guard usesArrays else {
                path.append(.key(String(Substring(part))))
                continue
            }
            if !path.isEmpty, part.allSatisfy({ $0.isDigit }) {
                path.append(.index(try Self.index(part)))
                continue
            }
            path.append(.key(String(Substring(part.prefix { $0 != UInt8(ascii: "[") }))))
            if let digits = Self.firstIndex(in: part) { path.append(.index(try Self.index(digits))) }
        }
        if path.count > Self.maximumDepth { throw .tooDeep }
        return path
    }

    private static func index(_ digits: Substring.UTF8View) throws(Unplaceable) -> Int {
        guard let index = Int(Substring(digits)), index <= maximumIndex else { throw .indexTooLarge }
        return index
    }

    /// The digits of the first `[digits]`.
    private static func firstIndex(in part: Substring.UTF8View) -> Substring.UTF8View? {
        var rest = part
        while let open = rest.firstIndex(of: UInt8(ascii: "[")) {
            rest = rest[rest.index(after: open)...]
            let digits = rest.prefix(while: { $0.isDigit })
            if !digits.isEmpty, rest[digits.endIndex...].first == UInt8(ascii: "]") { return digits }
        }
        return nil
    }
}
