import EventHTTP
import HTTPWire

extension RequestRejection {
    /// The path of the request, still percent-encoded. If the head could not be read, this is what looks like the path, which may be
    /// anything.
    var path: String {
        if let head { return head.path }
        var target = (partialHead?.target ?? "")[...]
        for scheme in ["http://", "https://"] where target.lowercased().hasPrefix(scheme) {
            target = target.dropFirst(scheme.count).drop { $0 != "/" && $0 != "?" }
        }
        return String(target.prefix { $0 != "?" && $0 != "#" })
    }

    /// Why the request was refused.
    ///
    /// - Parameter bodySetting: the configuration key of the limit on bodies; nil if it is fixed.
    func callError(bodySetting: String?) -> CallError {
        if let bodyLimit { return .bodyTooLarge(limit: bodyLimit, setting: bodySetting) }
        return .http(status: status, reason: reason)
    }

    /// The response to a request that the HTTP layer refused, in the form of its plane.
    func response(
        _ error: CallError, path: String, requestID: String, plane: Endpoint.Plane, isSecure: Bool
    ) -> CallResponse {
        switch plane {
        case .client:
            let isRead = head != nil || partialHead?.hasRequestLine == true
            return .problem(error, instance: isRead ? path : nil, requestID: requestID)
        case .vault:
            let href = Call.href(path, host: head?.host ?? partialHead?.host, isSecure: isSecure)
            return .vaultErrors(error, href: href, requestID: requestID)
        case .token: return .tokenError(error)
        }
    }
}
