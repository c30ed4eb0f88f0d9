import Crypto
import Elements
import Testing

/// The files that are embedded in the executable.
@Suite struct ElementFileTests {
    @Test func engineIsEmbeddedWithinItsLimit() throws {
        let engine = try #require(Elements.files["engine.wasm"])
        #expect(engine.mediaType == "application/wasm")
        // The magic number and version of the binary format (WebAssembly Core Specification 5.5.16).
        #expect(engine.bytes.starts(with: [0x00, 0x61, 0x73, 0x6D, 0x01, 0x00, 0x00, 0x00]))
        // RFC 1952 section 2.3.1; docs/reference/browser.md section 6.
        #expect(engine.compressed.starts(with: [0x1F, 0x8B, 0x08]))
        #expect(engine.compressed.count <= 160_000)
        #expect(engine.hash.utf8.count == 64)
        #expect(engine.integrity.hasPrefix("sha384-") && engine.integrity.utf8.count == 7 + 64)
    }

    @Test func scriptsAreEmbeddedAsModules() throws {
        let script = try #require(Elements.files["engine.mjs"])
        #expect(script.mediaType == "text/javascript; charset=utf-8")
        #expect(String(decoding: script.bytes, as: UTF8.self).firstMatch(of: /export\s*\{[^}]*\bload\b[^}]*\}/) != nil)
    }

    @Test func integrityListsWhatPagesLoad() throws {
        let list = String(decoding: try #require(Elements.files["integrity.json"]).bytes, as: UTF8.self)
        for name in ["engine.mjs", "engine.wasm"] {
            let file = try #require(Elements.files[name])
            #expect(list.contains(#""\#(name)":"\#(file.integrity)""#))
        }
    }

    /// The hash of a file is by the build, of the file itself: what is decoded has each byte of it.
    @Test func everyFileIsDecodedWhole() {
        for (name, file) in Elements.files {
            let digest = (try? SHA256.digest(file.bytes)).map(Hexadecimal.encode)
            #expect(digest == file.hash, "\(name)")
            #expect(file.compressed.suffix(4) == Self.gzipLength(file.bytes.count), "\(name)")
        }
    }

    /// A member of gzip's format ends with the length of its content (RFC 1952 section 2.3.1).
    private static func gzipLength(_ count: Int) -> ArraySlice<UInt8> {
        [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: count >> $0) }[...]
    }

    @Test func buildHashIsSixteenDigits() {
        #expect(Elements.buildHash.utf8.count == 16)
        #expect(Elements.buildHash.utf8.allSatisfy { "0123456789abcdef".utf8.contains($0) })
    }
}
