import Configuration
import EventHTTP
import EventIO

extension ListenAddress {
    /// As it is bound.
    var socketAddress: SocketAddress? { address.flatMap { SocketAddress("\($0)", port: port) } }
}

extension Gateway {
    /// Starts a server, or says which address of which setting it cannot have.
    ///
    /// - Parameters:
    ///   - setting: path of the key that the addresses come from.
    ///   - configured: the server's addresses, as the configuration has them.
    static func start(
        _ server: Server, on configured: [ListenAddress], of setting: String
    ) throws(StartError) -> [SocketAddress] {
        do { return try server.start() } catch {
            let places = unavailable(configured).map { [$0] } ?? configured
            let names = places.map(\.description).joined(separator: ", ")
            throw StartError("cannot listen on \(names) (\(setting)): \(error)")
        }
    }

    /// The first of the addresses that cannot be had. A server that could not start has let go of all of them: what cannot be
    /// bound now is what it could not bind.
    private static func unavailable(_ configured: [ListenAddress]) -> ListenAddress? {
        guard let places = try? addresses(configured) else { return nil }
        return zip(configured, places).first { _, place in (try? Listener.checkIsFree(place)) == nil }?.0
    }
}
