extension FormSchema {
    /// The names of all fields, in form order.
    public var fieldNames: [String] { fields.map(\.name) }
}
