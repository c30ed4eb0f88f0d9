import HTTPWire

extension Call {
    /// Throws unless the method is one of the endpoint's.
    func requireMethod() throws(CallError) {
        guard let methods = endpoint.methods else { throw .notFound("there is nothing at this path") }
        try head.require(methods)
    }

    /// The response to `OPTIONS`; nil for the endpoint's other methods. Throws for any that it does not have.
    func optionsResponse() throws(CallError) -> CallResponse? {
        try requireMethod()
        guard head.method == .options, let methods = endpoint.methods else { return nil }
        return .options(methods)
    }
}

extension RequestHead {
    /// Throws unless the method is one of these.
    func require(_ methods: MethodSet) throws(CallError) {
        guard methods.takes(method) else { throw .methodNotAllowed(allowed: methods.names) }
    }
}

extension CallResponse {
    /// The response to `OPTIONS` (RFC 9110 section 9.3.7).
    static func options(_ methods: MethodSet) -> CallResponse {
        CallResponse(status: 204, headers: [("Allow", methods.names)])
    }
}
