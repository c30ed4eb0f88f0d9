import HTTPWire

extension RequestHead {
    /// Refuses a second `Authorization` or `Content-Type`: neither is a list (RFC 9110 section 5.3), and whoever stands between
    /// may have read the other one.
    func demandSingles() throws(RequestFault) {
        if isRepeated(.authorization) { throw .malformed("Authorization is given more than once") }
        if isRepeated(.contentType) { throw .malformed("Content-Type is given more than once") }
    }
}
