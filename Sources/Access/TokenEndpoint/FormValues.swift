import Crypto

/// The pairs of an `application/x-www-form-urlencoded` body, each name once (RFC 6749 section 3.2 and appendix B).
struct FormValues {
    /// Pairs of a body.
    static let maximumPairs = 32

    private var values: [[UInt8]: [UInt8]] = [:]

    /// Nil if an escape is not whole, a value is not UTF-8, a name stands there twice (also one that is not known here, or without a value),
    /// or there are too many pairs. Names are compared by their bytes, whatever these are; bytes that need no escape are taken as they are.
    init?(_ body: [UInt8]) {
        let pairs = body.split(separator: UInt8(ascii: "&"))
        guard pairs.count <= Self.maximumPairs else { return nil }
        for pair in pairs {
            let equals = pair.firstIndex(of: UInt8(ascii: "=")) ?? pair.endIndex
            guard let name = Self.decode(pair[..<equals]), let value = Self.decode(pair[equals...].dropFirst()),
                String(validating: value, as: UTF8.self) != nil, values[name] == nil
            else { return nil }
            values[name] = value
        }
    }

    /// The value of a name. One without a value counts as left out.
    subscript(_ name: String) -> [UInt8]? {
        guard let value = values[Array(name.utf8)], !value.isEmpty else { return nil }
        return value
    }

    /// The bytes that are encoded; nil if a `%` is not followed by two hexadecimal digits.
    static func decode(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        var rest = text
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "+"): bytes.append(0x20)
            case UInt8(ascii: "%"):
                guard rest.count >= 2, let pair = Hexadecimal.decode(rest.prefix(2)) else { return nil }
                bytes += pair
                rest.removeFirst(2)
            default: bytes.append(byte)
            }
        }
        return bytes
    }
}
