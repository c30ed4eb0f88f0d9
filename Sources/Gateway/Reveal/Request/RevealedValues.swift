import JSON
import Sensitive
import Vault

/// The values behind a request's aliases.
struct RevealedValues {
    private let values: [String: LookedUpValue]
    /// The same in the order of ``aliases``.
    private let ordered: [(value: SensitiveText, alias: String)]
    /// Credentials of `Basic` that hold values: encoded in base64 they show them as well.
    private var encoded: [(value: SensitiveText, alias: String)] = []
    /// Those that are unknown some day: what a route redacts must not keep them for longer.
    let temporary: [(value: SensitiveText, alias: String)]
    /// Those of each value.
    let classifiers: [[String]]

    /// Not inlined: raw values must not become locals of the asynchronous caller, whose frame is not wiped when it ends.
    @inline(never)
    init(_ values: [String: LookedUpValue]) {
        self.values = values
        let sizes = values.values.lazy.map(\.value.exposed.utf8.count)
        longest = sizes.max() ?? 0
        byteCount = sizes.reduce(0, +)
        ordered = values.map { ($0.value.value, $0.key) }.sorted { $0.alias < $1.alias }
        temporary = ordered.filter { values[$0.alias]?.isTemporary == true }
        classifiers = values.values.map(\.classifiers)
        aliases = ordered.map(\.alias)
    }

    /// What the text stands for, if it is an alias, byte for byte: a dictionary also finds what is canonically equivalent.
    subscript(_ text: String) -> String? {
        guard let index = values.index(forKey: text), values[index].key.hasSameBytes(as: text) else { return nil }
        return values[index].value.value.exposed
    }

    /// Whether the alias may be written to a log.
    func isRecordable(_ alias: String) -> Bool { values[alias]?.isRecordable == true }

    var isEmpty: Bool { values.isEmpty }
    /// Bytes of the longest value.
    let longest: Int
    /// Bytes of the values of all aliases, what they have in common as often as they have it.
    let byteCount: Int
    /// The aliases, in an order that is always the same.
    let aliases: [String]

    /// Notes a header that holds values in base64.
    ///
    /// - Parameters:
    ///   - header: `Basic` and the credentials, as they are sent.
    ///   - given: the same as the caller has sent it, with aliases.
    mutating func addEncoded(_ header: String, for given: String) {
        guard !header.hasSameBytes(as: given), let sent = Self.credentials(header), let alias = Self.credentials(given)
        else { return }
        encoded.append((SensitiveText(sent), alias))
        // Some leave the padding out (RFC 4648 section 3.2).
        let bare = sent.prefix { $0 != "=" }
        if bare.utf8.count < sent.utf8.count { encoded.append((SensitiveText(String(bare)), alias)) }
    }

    private static func credentials(_ header: String) -> String? {
        header.utf8.lastIndex(of: UInt8(ascii: " ")).map { String(header[header.utf8.index(after: $0)...]) }
    }

    /// Every value that is sent, with what stands in its place in a response.
    var pairs: [(value: SensitiveText, alias: String)] { encoded.isEmpty ? ordered : ordered + encoded }
}
