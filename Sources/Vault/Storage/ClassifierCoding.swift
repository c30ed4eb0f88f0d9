import Crypto

/// Classifiers as bytes: for each its length in UTF-8 as four bytes, most significant first, then the UTF-8.
package enum ClassifierCoding {
    package static func encode(_ classifiers: [String]) -> [UInt8] {
        var bytes: [UInt8] = []
        for classifier in classifiers {
            bytes.append(bigEndian: UInt32(clamping: classifier.utf8.count))
            bytes.append(contentsOf: classifier.utf8)
        }
        return bytes
    }

    /// `nil` if the bytes are not what `encode` makes.
    package static func decode(_ bytes: [UInt8]) -> [String]? {
        var classifiers: [String] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            guard let count = rest.takeBigEndian(UInt32.self) else { return nil }
            let length = Int(count)
            guard rest.count >= length else { return nil }
            classifiers.append(String(decoding: rest.prefix(length), as: UTF8.self))
            rest = rest.dropFirst(length)
        }
        return classifiers
    }
}
