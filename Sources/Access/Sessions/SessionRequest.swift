import JSON

/// The body of `POST /v1/sessions`, read but not yet allowed (`docs/reference/access.md` section 2).
public struct SessionRequest: Sendable, Equatable {
    /// The name of the form that it is for.
    public var form: String
    /// Nil: those of the form.
    public var operations: [FormOperation]?
    /// Seconds; 1 to 86,400.
    public var lifetime: Int64
    /// How many requests it is good for, 1 to 1,000,000; nil: any number.
    public var maxRequests: Int?
    /// The only origin of pages whose requests are taken; nil: any, and none.
    public var origin: String?
    /// The only upstream paths of `send`; nil: any.
    public var paths: [String]?

    /// Seconds that a session lasts unless `ttl` says otherwise: 15 minutes.
    public static let defaultLifetime: Int64 = 900

    /// What is wrong with a body. It names member and rule, never a value.
    public struct Mistake: Error, Equatable, CustomStringConvertible {
        /// The member and the rule.
        public let description: String

        init(_ description: String) { self.description = description }
    }

    /// Reads a body strictly: one JSON object without unknown or repeated members.
    public init(body: [UInt8]) throws(Mistake) {
        let value: JSONValue
        do { value = try JSONValue.parse(body, maximumDepth: 2) } catch {
            throw Mistake("the body is not JSON: \(error)")
        }
        let known = ["form", "operations", "ttl", "maxRequests", "origin", "paths"]
        guard let object = value.object else {
            throw Mistake("the body must be a JSON object with form, not \(value.kind)")
        }
        guard object.members.allSatisfy({ known.contains($0.key) }) else {
            throw Mistake("the body has an unknown member; known are \(known.joined(separator: ", "))")
        }
        guard let form = object["form"]?.string, SessionClaims.isText(form) else {
            throw Mistake("form: the name of a form is required")
        }
        self.form = form
        operations = try object["operations"].map(Self.operations)
        lifetime = try object["ttl"].map(Self.lifetime) ?? Self.defaultLifetime
        if let count = object["maxRequests"] {
            guard let count = count.int64, count >= 1, count <= Int64(SessionClaims.Limit.requests) else {
                throw Mistake("maxRequests: a whole number from 1 to 1000000 is expected")
            }
            maxRequests = Int(count)
        }
        origin = try object["origin"].map(Self.origin)
        if let paths = object["paths"] {
            guard let paths = paths.strings, SessionClaims.arePaths(paths), paths.allSatisfy(Self.isReachable) else {
                throw Mistake(
                    """
                    paths: 1 to 16 paths of up to 256 bytes are expected, each as the upstream gets it: a slash at its beginning, \
                    no empty segment, no . or .., also before a semicolon, no backslash
                    """)
            }
            self.paths = paths
        }
    }

    /// Checks it against its form, whose own access it returns.
    ///
    /// - Parameter offered: the operations that the form has, each with who may carry it out; nil if there is no such form.
    public func access(
        offered: [FormOperation: FormAccess]?
    ) throws(Mistake) -> [FormOperation: FormAccess] {
        guard let offered else { throw Mistake("form: there is no such form") }
        guard operations?.contains(.send) != true || offered[.send] != nil else {
            throw Mistake("operations: the form has no route to send to")
        }
        return offered
    }

    /// Whether a send can reach the path: no segment but the last is empty, none is `.` or `..`, also with a semicolon behind it, and there
    /// is no backslash or control character.
    private static func isReachable(_ path: String) -> Bool {
        let segments = path.utf8.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        return segments.dropLast().allSatisfy { !$0.isEmpty }
            && segments.map { $0.prefix { $0 != UInt8(ascii: ";") } }
                .allSatisfy { !$0.elementsEqual(".".utf8) && !$0.elementsEqual("..".utf8) }
            && path.unicodeScalars.allSatisfy { $0 != "\\" && $0.properties.generalCategory != .control }
    }

    private static func operations(_ value: JSONValue) throws(Mistake) -> [FormOperation] {
        let names = value.strings ?? []
        let operations = names.compactMap { FormOperation(rawValue: $0) }
        guard !names.isEmpty, operations.count == names.count, Set(operations).count == names.count else {
            throw Mistake("operations: a list of validate, aliases, tokens and send is expected, each once")
        }
        return operations
    }

    /// `<number><unit>` as times are written in the configuration, in whole seconds; what is left of one is cut off.
    private static func lifetime(_ value: JSONValue) throws(Mistake) -> Int64 {
        guard let text = value.string, text.utf8.count <= 16,
            let seconds = WrittenTime(text, spaces: .max)?.seconds(in: 1...SessionClaims.Limit.lifetime)
        else { throw Mistake("ttl: a time such as 15m is expected, from 1s to 24h") }
        return seconds
    }

    private static func origin(_ value: JSONValue) throws(Mistake) -> String {
        guard let text = value.string, SessionClaims.isText(text), text.isSerializedOrigin else {
            throw Mistake("origin: an origin such as https://shop.example is expected, as browsers send it")
        }
        return text
    }
}
