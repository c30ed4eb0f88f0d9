import JSON

/// A request or response as it came over the wire.
struct Message {
    var startLine = ""
    var headers: [(name: String, value: String)] = []
    var body: [UInt8] = []

    /// Of a response; 0 if this is none.
    var status: Int {
        guard startLine.hasPrefix("HTTP/1.1 ") else { return 0 }
        return Int(startLine.dropFirst(9).prefix(3)) ?? 0
    }

    var bodyText: String { String(decoding: body, as: UTF8.self) }

    func all(_ name: String) -> [String] {
        headers.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
    }

    /// The one header of this name; nil if there is none, or more than one.
    subscript(_ name: String) -> String? {
        let values = all(name)
        return values.count == 1 ? values.first : nil
    }

    func json() throws -> JSONValue { try JSONValue.parse(body) }
}

/// Takes messages off a stream of bytes.
struct MessageReader {
    private(set) var buffer: [UInt8] = []
    /// Bytes that the message has, once its head says so.
    private var needed = 0

    mutating func append(_ bytes: ArraySlice<UInt8>) { buffer += bytes }

    /// The next whole message; nil if it is not here yet.
    ///
    /// - Parameter answersHead: whether it answers a HEAD request, and so has no body whatever its headers say.
    mutating func next(answersHead: Bool = false) throws -> Message? {
        guard buffer.count >= needed, let headEnd = buffer.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
        let lines = String(decoding: buffer[..<headEnd.lowerBound], as: UTF8.self).split(separator: "\r\n")
        var message = Message(startLine: lines.first.map(String.init) ?? "")
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { throw Trouble("a header without a colon") }
            let value = line[line.index(after: colon)...].drop { $0 == " " }
            message.headers.append((String(line[..<colon]), String(value)))
        }
        let isBodiless = answersHead || message.status / 100 == 1 || message.status == 204 || message.status == 304
        var used = headEnd.upperBound
        if isBodiless {
        } else if message["Transfer-Encoding"] == "chunked" {
            guard let end = try readChunks(from: used, into: &message.body) else { return nil }
            used = end
        } else if let length = message["Content-Length"].flatMap({ Int($0) }) {
            needed = used + length
            guard buffer.count >= needed else { return nil }
            message.body = Array(buffer[used..<needed])
            used = needed
        }
        buffer.removeSubrange(..<used)
        needed = 0
        return message
    }

    private func readChunks(from start: Int, into body: inout [UInt8]) throws -> Int? {
        var place = start
        while true {
            guard let end = buffer[place...].firstRange(of: Array("\r\n".utf8)) else { return nil }
            let line = String(decoding: buffer[place..<end.lowerBound], as: UTF8.self)
            guard let size = Int(line, radix: 16) else { throw Trouble("not a chunk size: \(line)") }
            place = end.upperBound + size + 2
            guard buffer.count >= place else { return nil }
            if size == 0 { return place }
            body += buffer[end.upperBound..<(end.upperBound + size)]
        }
    }
}
