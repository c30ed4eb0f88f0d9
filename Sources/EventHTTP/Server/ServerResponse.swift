/// An answer. `Content-Length`, `Connection` and `Date` are the server's business.
public struct ServerResponse: Sendable {
    /// 200 … 599.
    public var status: Int
    /// Names and values, in the order in which they are sent.
    public var headers: [(String, String)]
    public var body: [UInt8]

    public init(status: Int, headers: [(String, String)] = [], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}
