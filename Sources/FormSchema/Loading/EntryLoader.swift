/// Reads a field's name and serializers, and finds their places in a body (`fields.md` sections 8 and 11).
struct EntryLoader {
    let policy: MappingPolicy
    let type: FieldType

    func load(_ map: MapReader) -> (name: String, entries: [Field.Entry])? {
        let reader = map.required("name")
        let name = reader?.text()
        let components = type.isDated ? map["serializers"].map(components) : nil
        guard let reader, let name else { return nil }
        guard let components else { return entry(name, .whole, reader).map { (name, [$0]) } }
        // A serialized field's own name is never written, but it is still the key of the submission.
        let path = try? policy.path(of: name)
        if path?.isEmpty ?? false { reader.mistake("must have a component that is not empty") }
        return (name, components)
    }

    private func entry(_ name: String, _ part: Field.Part, _ reader: DocumentReader) -> Field.Entry? {
        do throws(MappingPolicy.Unplaceable) {
            let path = try policy.path(of: name)
            if !path.isEmpty { return Field.Entry(name: name, part: part, path: path) }
            reader.mistake("must have a component that is not empty")
        } catch {
            reader.mistake(error.rawValue)
        }
        return nil
    }

    /// One entry for each component of each serializer, in the order month, year or day, month, year.
    private func components(_ reader: DocumentReader) -> [Field.Entry] {
        guard let list = reader.list() else { return [] }
        if list.isEmpty { reader.mistake("must list at least one serializer") }
        let parts: [Field.Part] = type == .expDate ? [.month, .year] : [.day, .month, .year]
        let other = type == .expDate ? FieldType.date : FieldType.expDate
        return list.flatMap { serializer -> [Field.Entry] in
            guard let kinds = serializer.map(keys: [type.rawValue, other.rawValue]) else { return [] }
            kinds[other.rawValue]?.mistake("a field of type \(type.rawValue) takes \(type.rawValue) serializers only")
            guard
                let kind = kinds[type.rawValue] ?? (kinds[other.rawValue] == nil ? kinds.required(type.rawValue) : nil),
                let names = kind.map(keys: parts.map(\.rawValue))
            else { return [] }
            return parts.compactMap { part in
                guard let reader = names.required(part.rawValue), let name = reader.text() else { return nil }
                return entry(name, part, reader)
            }
        }
    }
}
