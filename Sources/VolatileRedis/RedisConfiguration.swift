public import EventIO
public import Sensitive

/// How the server is reached that keeps shared volatile values.
public struct RedisConfiguration: Sendable {
    /// Name or address of the server.
    public var host: String
    /// The TCP port.
    public var port: UInt16
    /// Number of the database there.
    public var database: Int
    /// Nil for the server's default user.
    public var username: String?
    /// Nil for a server that asks for none.
    public var password: SensitiveText?
    /// Nil for a connection in the clear.
    public var tls: TLSClientContext?
    /// Name that the server's certificate must have; nil for the host.
    public var certificateName: String?
    /// How long to wait for a connection, and for the responses to what was sent.
    public var timeout = Duration.seconds(2)
    /// Commands that may wait; beyond that they are refused.
    public var queueLimit = 8_192

    /// A server with the defaults of the rest.
    public init(host: String, port: UInt16 = 6_379, database: Int = 0, tls: TLSClientContext? = nil) {
        self.host = host
        self.port = port
        self.database = database
        self.tls = tls
    }
}

/// Why a server can't be used at all. Later failures are `VaultError`s.
public struct RedisError: Error, Sendable, CustomStringConvertible {
    /// One line for a start-up message.
    public let description: String
}
