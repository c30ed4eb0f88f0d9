/// A file of the browser's half of a form, as the gateway serves it under `/elements/` (`docs/reference/browser.md` section 1).
public struct ElementFile: Sendable {
    /// Its name in the path.
    public let name: String
    /// The value of `Content-Type`.
    public let mediaType: String
    /// The hash of the content, SHA-256 in hexadecimal: the text of an entity tag, without quotes.
    public let hash: String
    /// The value of an `integrity` attribute (W3C Subresource Integrity): `sha384-` and base64.
    public let integrity: String
    let identity: EmbeddedContent
    let gzip: EmbeddedContent

    /// The content.
    public var bytes: [UInt8] { identity.bytes }
    /// The content in gzip's format (RFC 1952), for clients that accept it.
    public var compressed: [UInt8] { gzip.bytes }
}

/// All files of the browser's half, embedded in the executable.
public enum Elements {
    /// By name.
    public static let files: [String: ElementFile] = {
        var files: [String: ElementFile] = [:]
        for file in embeddedFiles { files[file.name] = file.file }
        return files
    }()

    /// The hash of the build: it changes when any file does, so that `/elements/<hash>/` is immutable.
    public static let buildHash: String = {
        // FNV-1a over the hashes of all files. It has to differ between builds, not to withstand anybody: each file has its own
        // SHA-256 and the page its integrity attributes.
        var state: UInt64 = 0xCBF2_9CE4_8422_2325
        for file in embeddedFiles {
            for byte in "\(file.name)=\(file.hash);".utf8 { state = (state ^ UInt64(byte)) &* 0x100_0000_01B3 }
        }
        let text = String(state, radix: 16)
        return String(repeating: "0", count: 16 - text.utf8.count) + text
    }()
}
