import EventIO
import HTTPWire

/// A request as it is sent: written out, and with its times. What is the same for both attempts at it.
struct OutgoingRequest {
    let bytes: [UInt8]
    let method: Method
    let buffering: ResponseBuffering
    /// In whose share a body counts that is held to its end.
    let caller: PoolCaller?
    let endsWithTask: Bool
    let singleSend: SingleSend?
    private let connect: Int64
    private let response: Int64?
    /// Of the whole exchange.
    let deadline: MonotonicTime
    /// For how long no byte of a buffered body may arrive, in milliseconds: half of the time that the exchange may take. Beyond it the
    /// upstream has failed.
    let patience: Int64

    init(
        _ request: ClientRequest, to origin: Origin, _ timeouts: ClientTimeouts, _ buffering: ResponseBuffering
    ) throws(ClientError) {
        var writer = WireWriter()
        do throws(WireError) {
            try writer.request(
                request.method, target: request.target, host: origin.authority, fixed: request.fixed,
                headers: request.headers, body: request.body)
        } catch { throw ClientError(error) }
        bytes = writer.take()
        method = request.method
        self.buffering = buffering
        caller = request.caller
        endsWithTask = request.endsWithTask
        singleSend = request.singleSend
        deadline = .now.advanced(byMilliseconds: timeouts.exchange)
        patience = timeouts.exchange / 2
        connect = timeouts.connect
        response = timeouts.response
    }

    /// The end of the wait for a connection that starts now: each attempt has the full time to connect, within that of the
    /// exchange.
    func connectDeadline() -> MonotonicTime { min(deadline, .now.advanced(byMilliseconds: connect)) }

    /// The end of the wait for the first byte of a response, which starts now.
    func firstByteDeadline() -> MonotonicTime {
        response.map { min(deadline, .now.advanced(byMilliseconds: $0)) } ?? deadline
    }
}
