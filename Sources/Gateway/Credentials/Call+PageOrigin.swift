import EventHTTP
import HTTPWire
import JSON

extension Call {
    /// The origin of the page that sends the request. The frame of hosted fields is a page of the gateway's own origin, and names the
    /// page around it (`docs/browser.md`); from any other origin that header is a claim and is not looked at.
    var pageOrigin: String? {
        guard let origin = head[.origin] else { return nil }
        guard let page = head["Cloakroom-Page-Origin"], isOwn(origin) else { return origin }
        return page
    }

    /// Whether an origin is that of the gateway as the client sees it. A proxy in front of it may have taken TLS off.
    private func isOwn(_ origin: String) -> Bool {
        guard let host = head.host, !host.isEmpty else { return false }
        return origin.hasSameBytes(as: "https://\(host)")
            || !request.isSecure && origin.hasSameBytes(as: "http://\(host)")
    }
}
