import Crypto
import Elements
import HTTPWire

/// A file for browsers with everything about its responses that does not depend on the request
/// (`docs/reference/browser.md` section 1).
struct ServedElement: Sendable {
    let file: ElementFile
    /// Headers that say which origins may load the file. The script files are loaded with `crossorigin`, so that `integrity` can be
    /// checked; `frame.js`, the style sheets, the demo and the docs page are for the gateway's own origin.
    private let accessHeaders: [(String, String)]

    /// The document that pages embed.
    static let frameName = "frame.html"

    init(_ file: ElementFile) {
        self.file = file
        switch file.name {
        case Self.frameName: accessHeaders = [("Cross-Origin-Resource-Policy", "cross-origin")]
        case "frame.js", "frame.css", "demo.html", "demo.js", "demo.css", "docs.html", "docs.js", "docs.css":
            accessHeaders = [("Cross-Origin-Resource-Policy", "same-origin")]
        default:
            accessHeaders = [("Access-Control-Allow-Origin", "*"), ("Cross-Origin-Resource-Policy", "cross-origin")]
        }
    }

    var isFrame: Bool { file.name == Self.frameName }
    var isDocs: Bool { file.name.hasPrefix("docs.") }
    var isDemo: Bool { file.name.hasPrefix("demo.") }

    /// The headers of a response with the body or without it (304).
    ///
    /// - Parameters:
    ///   - policy: the frame's Content-Security-Policy, which depends on the form; nil for other files.
    ///   - isImmutable: whether the path names the build.
    ///   - isCompressed: whether the response has the compressed content.
    func headers(policy: String?, isImmutable: Bool, isCompressed: Bool) -> [(String, String)] {
        // What the frame allows changes with the configuration, so no path of it is immutable.
        let cache = isImmutable && !isFrame ? "public, max-age=31536000, immutable" : "no-cache"
        var headers = [
            ("Content-Type", file.mediaType), ("ETag", entityTag(policy: policy, isCompressed: isCompressed)),
            ("Cache-Control", cache), ("Vary", "Accept-Encoding"), ("X-Content-Type-Options", "nosniff"),
        ]
        headers += accessHeaders
        // Where the same bytes stay (RFC 9110 section 8.7): a page has no other way to learn the path of the build.
        if !isImmutable, !isFrame, !isDocs, !isDemo {
            headers.append(("Content-Location", "/elements/\(Elements.buildHash)/\(file.name)"))
        }
        if isCompressed { headers.append(("Content-Encoding", "gzip")) }
        if let policy {
            headers += [
                ("Content-Security-Policy", policy), ("Referrer-Policy", "no-referrer"),
                ("Permissions-Policy", FramePolicy.permissions),
            ]
            if isFrame { headers.append(("Cross-Origin-Embedder-Policy", "require-corp")) }
        }
        return headers
    }

    /// A strong tag, so it differs between the codings (RFC 9110 section 8.8.3). The frame's also stands for its policy: a cache may
    /// keep the headers of what it revalidates.
    func entityTag(policy: String?, isCompressed: Bool) -> String {
        var tag = file.hash.prefix(32)
        if let policy, let digest = try? SHA256.digest(Array(policy.utf8)) {
            tag += "-" + Hexadecimal.encode(Array(digest.prefix(8)))
        }
        return "\"\(tag)\(isCompressed ? "-gzip" : "")\""
    }
}
