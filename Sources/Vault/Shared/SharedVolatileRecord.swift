import Crypto
import Sensitive

/// A volatile value that several processes share, opened.
struct SharedVolatileRecord: Sendable {
    /// 16 random bytes.
    let name: Binding
    let value: SensitiveText
    var classifiers: [String]
    var aliases: [Alias]
    /// Unix seconds, as it is returned.
    let createdAt: Int64
    /// When the request that made it wanted it to end, if it said: Unix seconds, as it is returned.
    let endsAt: Int64?
    /// From when on its aliases are unknown, whatever the server keeps: Unix seconds. The server forgets them to the millisecond; this is
    /// for one that has lost the end.
    let expiresAt: Int64

    var size: VolatileSize { VolatileSize(value, classifiers: classifiers) }

    /// As it is returned.
    ///
    /// - Parameter requested: the place among these of the alias that an item asked for.
    func stored(aliases: [Alias], requested: Int? = nil) -> StoredValue {
        StoredValue(
            value: value, classifiers: classifiers, aliases: aliases, createdAt: createdAt, expiresAt: endsAt,
            storage: .volatile, requestedPlace: requested)
    }
}

/// The content of a seal: four numbers of 8 bytes, most significant first (creation, 1 if an end was given or 0, that end, expiry);
/// for classifiers and for aliases, the length as 8 bytes and what `ClassifierCoding` makes of them, an alias being the code of its
/// format as one character before its text; then the value.
extension SharedVolatileRecord {
    /// The caller wipes it.
    var content: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(128 + value.exposed.utf8.count)
        for number in [createdAt, endsAt == nil ? 0 : 1, endsAt ?? 0, expiresAt] { bytes.append(bigEndian: number) }
        for part in [
            ClassifierCoding.encode(classifiers), ClassifierCoding.encode(aliases.map(Self.text)),
        ] {
            bytes.append(bigEndian: Int64(part.count))
            bytes.append(contentsOf: part)
        }
        bytes.append(contentsOf: value.exposed.utf8)
        return bytes
    }

    /// Nil if the content is not what `content` makes.
    init?(name: Binding, content: [UInt8]) {
        var rest = content[...]
        guard let createdAt = Self.number(&rest), let hasEnd = Self.number(&rest), let end = Self.number(&rest),
            let expiresAt = Self.number(&rest), let classifiers = Self.texts(&rest), let texts = Self.texts(&rest)
        else { return nil }
        var aliases: [Alias] = []
        for text in texts {
            guard let alias = Self.alias(text) else { return nil }
            aliases.append(alias)
        }
        self.init(
            name: name, value: SensitiveText(String(decoding: rest, as: UTF8.self)), classifiers: classifiers,
            aliases: aliases, createdAt: createdAt, endsAt: hasEnd == 0 ? nil : end, expiresAt: expiresAt)
    }

    private static func text(_ alias: Alias) -> String {
        String(UnicodeScalar(alias.format.code)) + alias.alias
    }

    private static func alias(_ text: String) -> Alias? {
        guard let code = text.unicodeScalars.first.flatMap({ UInt8(exactly: $0.value) }),
            let format = AliasFormat(code: code)
        else { return nil }
        return Alias(alias: String(text.unicodeScalars.dropFirst()), format: format)
    }

    private static func number(_ rest: inout ArraySlice<UInt8>) -> Int64? {
        rest.takeBigEndian(Int64.self)
    }

    private static func texts(_ rest: inout ArraySlice<UInt8>) -> [String]? {
        guard let length = number(&rest), length >= 0, length <= rest.count else { return nil }
        defer { rest = rest.dropFirst(Int(length)) }
        return ClassifierCoding.decode(Array(rest.prefix(Int(length))))
    }
}

extension Alias {
    func isSame(as alias: String) -> Bool { self.alias.utf8.elementsEqual(alias.utf8) }
}
