/// What is being written, which decides the headers that only the writer may set.
enum MessageKind {
    case request
    case response

    func owns(_ name: String) -> Bool {
        let bytes = name.utf8Span.span
        return switch KnownField.recognise(bytes, 0..<bytes.count) {
        case .contentLength, .transferEncoding, .connection: true
        case .host: self == .request
        case .expect, .contentType, .authorization, nil: false
        }
    }
}
