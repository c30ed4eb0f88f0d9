import FormSchema
import JSON

/// Where card numbers stand in JSON, as pointers (RFC 6901).
struct CardNumberPointers {
    /// One token of a pointer. Pointers are only written for what is found: a member's name may be as long as the body, and each of a
    /// hundred thousand values may stand below it.
    private enum Step {
        case index(Int)
        case member(String)
    }

    /// Bytes of the longest pointer that is written. Of a deeper or longer one it is the beginning that ends at a token, which names
    /// what the value is in.
    static let longestPointer = 1_024

    private let exempt: PANFilter.Exemptions
    private var path: [Step] = []
    private var pointers: [String] = []

    private init(exempt: PANFilter.Exemptions) { self.exempt = exempt }

    /// The pointers of texts, numbers and members that hold one that is not exempt; nil if the bytes are not JSON, or if no single text has
    /// it all.
    static func pointers(_ bytes: [UInt8], exempt: PANFilter.Exemptions) -> [String]? {
        guard let json = try? JSONValue.parse(bytes) else { return nil }
        var found = CardNumberPointers(exempt: exempt)
        found.collect(json)
        return found.pointers.isEmpty ? nil : found.pointers
    }

    private mutating func collect(_ json: JSONValue) {
        guard pointers.count < PANFilter.maximumPlaces else { return }
        switch json {
        case .string(let text): if holdsNumber(text) { pointers.append(pointer) }
        case .number(let number): if holdsNumber(number.text) { pointers.append(pointer) }
        case .array(let elements):
            for index in elements.indices {
                path.append(.index(index))
                collect(elements[index])
                path.removeLast()
            }
        case .object(let object):
            for member in object.members {
                path.append(.member(member.key))
                // The name of a member may be the number itself.
                if holdsNumber(member.key) { pointers.append(pointer) }
                collect(member.value)
                path.removeLast()
            }
        case .null, .bool: break
        }
    }

    private var pointer: String {
        var pointer = ""
        for step in path {
            let token: String
            switch step {
            case .index(let index): token = String(index)
            case .member(let name):
                guard name.utf8.count <= Self.longestPointer else { return pointer }
                token = PANMask.masked(name.replacing("~", with: "~0").replacing("/", with: "~1"))
            }
            guard pointer.utf8.count + 1 + token.utf8.count <= Self.longestPointer else { return pointer }
            pointer += "/" + token
        }
        return pointer
    }

    private func holdsNumber(_ text: String) -> Bool {
        let bytes = text.utf8Span.span
        var position = 0
        while case .find(let find) = PANScanner.next(bytes, from: position, isWhole: true) {
            if !exempt.contain(find) { return true }
            position = find.range.upperBound
        }
        return false
    }
}

extension Evaluation {
    /// An empty text in the place of each alias: what the guard searches before aliases exist.
    var emptyAliases: [String] { [String](repeating: "", count: aliasItemCount) }
}
