import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Makes requests, and takes a redirect for the response that it is: what was typed goes to the gateway alone, and so does the
/// credential, wherever an upstream's `Location` may lead.
final class Transport: Sendable {
    private let session: URLSession

    init(_ session: URLSession) {
        #if canImport(FoundationNetworking)
        // There only a session's own delegate is asked about redirects, not that of one request.
        self.session = URLSession(
            configuration: session.configuration, delegate: RefusedRedirects(), delegateQueue: nil)
        #else
        self.session = session
        #endif
    }

    #if canImport(FoundationNetworking)
    // A session with a delegate lives until it is told to end.
    deinit { session.finishTasksAndInvalidate() }

    func response(to message: URLRequest) async throws -> (Data, URLResponse) { try await session.data(for: message) }
    #else
    func response(to message: URLRequest) async throws -> (Data, URLResponse) {
        try await session.data(for: message, delegate: RefusedRedirects())
    }
    #endif
}

private final class RefusedRedirects: NSObject, URLSessionTaskDelegate, Sendable {
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }
}
