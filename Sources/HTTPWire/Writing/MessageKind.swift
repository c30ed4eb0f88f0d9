/// What is being written, which decides the headers that only the writer may set.
enum MessageKind {
    case request
    case response

    /// Whether `name`, a token, is a header that the writer sets itself.
    func owns(_ name: Span<UInt8>) -> Bool {
        switch KnownField.recognise(name, 0..<name.count) {
        case .contentLength, .transferEncoding, .connection: true
        case .host: self == .request
        case .expect, .contentType, .authorization, nil: false
        }
    }
}
