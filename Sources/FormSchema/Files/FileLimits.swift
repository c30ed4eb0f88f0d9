/// What a file field takes (`docs/reference/fields.md` section 12).
struct FileLimits: Sendable {
    /// A file of this many bytes is too large.
    let maxBytes: Int
    /// Nil for any type.
    let contentTypes: [ContentType]?
}

/// A media type that is recognised by a file's leading bytes (`docs/reference/fields.md` section 12).
enum ContentType: String, Sendable, CaseIterable {
    case png = "image/png"
    case jpeg = "image/jpeg"
    case gif = "image/gif"
    case webp = "image/webp"
    case tiff = "image/tiff"
    case heic = "image/heic"
    case pdf = "application/pdf"
    case plainText = "text/plain"

    /// The type of `file`; nil if it is none of these. A file without a signature is text if it is UTF-8 without NUL.
    init?(of file: [UInt8]) {
        if let type = Self.signed(file) {
            self = type
        } else if !file.contains(0), String(validating: file, as: UTF8.self) != nil {
            self = .plainText
        } else {
            return nil
        }
    }

    private static func signed(_ file: [UInt8]) -> ContentType? {
        if file.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) { return .png }
        if file.starts(with: [0xFF, 0xD8, 0xFF]) { return .jpeg }
        if file.starts(with: "GIF87a".utf8) || file.starts(with: "GIF89a".utf8) { return .gif }
        if file.starts(with: "RIFF".utf8), file.dropFirst(8).starts(with: "WEBP".utf8) { return .webp }
        if file.starts(with: [0x49, 0x49, 0x2A, 0x00]) || file.starts(with: [0x4D, 0x4D, 0x00, 0x2A]) { return .tiff }
        if file.starts(with: "%PDF-".utf8) { return .pdf }
        return isHEIC(file) ? .heic : nil
    }

    /// A `ftyp` box (ISO/IEC 14496-12) whose major brand or one of whose compatible brands is an HEVC image's
    /// (ISO/IEC 23008-12, annex B).
    private static func isHEIC(_ file: [UInt8]) -> Bool {
        guard file.count >= 12, file[4..<8].elementsEqual("ftyp".utf8) else { return false }
        let size = file[..<4].reduce(0) { $0 << 8 | Int($1) }
        let end = min(file.count, size, 256)
        return stride(from: 8, through: end - 4, by: 4).contains { start in
            start != 12 && brands.contains { file[start..<start + 4].elementsEqual($0.utf8) }
        }
    }

    private static let brands = ["heic", "heix", "heim", "heis", "hevc", "hevx", "hevm", "hevs"]
}
