import Configuration
import EventHTTP
import EventIO

extension ListenAddress {
    /// As it is bound.
    var socketAddress: SocketAddress? { number.flatMap { SocketAddress($0, port: port) } }
}

extension Gateway {
    /// Starts a server; the error names the address that could not be bound, and its setting.
    ///
    /// - Parameters:
    ///   - setting: key path of the addresses.
    ///   - configured: the server's addresses.
    static func start(
        _ server: Server, on configured: [ListenAddress], of setting: String
    ) throws(StartError) -> [SocketAddress] {
        do { return try server.start() } catch {
            let addresses = unavailable(configured).map { [$0] } ?? configured
            let names = addresses.map(\.description).joined(separator: ", ")
            throw StartError("cannot listen on \(names) (\(setting)): \(error)")
        }
    }

    /// The first address that cannot be bound. A server that could not start has closed all its sockets, so an address that cannot be
    /// bound now is the one that failed.
    private static func unavailable(_ configured: [ListenAddress]) -> ListenAddress? {
        guard let socketAddresses = try? addresses(configured) else { return nil }
        return zip(configured, socketAddresses).first { (try? Listener.checkIsFree($0.1)) == nil }?.0
    }
}
