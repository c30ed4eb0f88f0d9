/// Headers carry credentials, so that printing or dumping a head shows nothing of its bytes.
extension Headers: CustomReflectable {
    public var customMirror: Mirror { Mirror(self, children: ["count": count]) }
}

/// A target shares the bytes of its head.
extension RequestTarget: CustomReflectable {
    public var customMirror: Mirror { Mirror(self, children: ["form": form]) }
}
