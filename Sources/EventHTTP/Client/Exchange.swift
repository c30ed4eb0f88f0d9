import EventIO
import HTTPWire

/// One request and its answer on one connection.
struct Exchange {
    /// Why it failed, and whether another attempt may be made for it.
    struct Failure: Error {
        let error: ClientError
        /// The connection closed before a byte of an answer came.
        let closedBeforeAnswer: Bool
        /// At least one byte of the request was handed to the kernel.
        let hasWritten: Bool
    }

    private let stream: EventIO.Stream
    private let home: ClientLoop
    private let request: [UInt8]
    private var reader: ResponseReader
    private var written = 0
    private var canWrite = true

    init(_ request: [UInt8], answering method: Method, on stream: EventIO.Stream, home: ClientLoop) {
        self.request = request
        self.stream = stream
        self.home = home
        reader = ResponseReader(answering: method, limits: home.limits)
    }

    /// Sends and receives. An answer may come before the request has been taken wholly; it ends the sending.
    mutating func run() async throws(Failure) -> ResponseReader.Whole {
        var interest = try write() ?? .read
        do throws(IOError) { try await stream.wait(for: interest.union(.read)) } catch { throw failure(error) }
        while true {
            let wantsRoom = try write()
            switch try read() {
            case .whole(let whole):
                return ResponseReader.Whole(
                    response: whole.response, isReusable: whole.isReusable && written == request.count)
            case .more: continue
            case .wait(let wantsBytes): interest = wantsBytes
            }
            do throws(IOError) { try await stream.wait(for: interest.union(wantsRoom ?? [])) } catch {
                throw failure(error)
            }
        }
    }

    /// Writes what fits; what to wait for if something is left.
    private mutating func write() throws(Failure) -> Interest? {
        while canWrite, written < request.count {
            do throws(IOError) {
                switch try stream.send(request, [], from: written) {
                case .bytes(let count): written += count
                case .wait(let interest): return interest
                }
            } catch {
                // A peer that hangs up may have answered before: what it sent is read first.
                guard error == .connectionLost else { throw failure(error) }
                canWrite = false
            }
        }
        return nil
    }

    private enum Outcome {
        case whole(ResponseReader.Whole)
        case more
        case wait(Interest)
    }

    /// Reads once, into the buffer that all connections of the loop share: nothing suspends between the read and its use, and
    /// the bytes are wiped before anything else runs.
    private mutating func read() throws(Failure) -> Outcome {
        var buffer: [UInt8] = []
        swap(&buffer, &home.buffer)
        defer { swap(&buffer, &home.buffer) }
        let received: Received
        do throws(IOError) { received = try stream.receive(into: &buffer) } catch { throw failure(error) }
        do throws(WireError) {
            switch received {
            case .bytes(let count):
                defer { wipe(&buffer, first: count) }
                return try reader.receive(buffer.span.extracting(0..<count)).map { .whole($0) } ?? .more
            case .end:
                guard reader.hasBegun else { throw .truncated }
                return .whole(try reader.finish())
            case .wait(let interest):
                guard canWrite else { throw .truncated }
                return .wait(interest)
            }
        } catch { throw failure(ClientError(error)) }
    }

    private func failure(_ error: IOError) -> Failure { failure(ClientError(exchanging: error)) }

    private func failure(_ error: ClientError) -> Failure {
        Failure(
            error: error, closedBeforeAnswer: error == .networkConnectionLost && !reader.hasBegun,
            hasWritten: written > 0)
    }
}
