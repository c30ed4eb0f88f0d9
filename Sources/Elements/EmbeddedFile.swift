/// A file as the build embeds it: string literals are the one kind of bytes that the compiler takes in quickly at this size.
struct EmbeddedFile: Sendable {
    let name: String
    let mediaType: String
    let hash: String
    let integrity: String
    /// The content in base64, by the build, so that it is known to be valid.
    let identity: StaticString
    /// The same in gzip's format.
    let gzip: StaticString

    var file: ElementFile {
        ElementFile(
            name: name, mediaType: mediaType, hash: hash, integrity: integrity, identity: EmbeddedContent(identity),
            gzip: EmbeddedContent(gzip))
    }
}
