/// Reads a field's name and serializers, and finds their paths in a body (`docs/reference/fields.md` sections 8 and 11).
struct EntryLoader {
    let policy: MappingPolicy
    /// Nil if the field's type is unknown.
    let type: FieldType?

    /// An entry, and the value of the form file that names it.
    typealias Given = (entry: Field.Entry, reader: DocumentReader)

    /// The names under which a field's text leaves the server; nil for the field's name if there is none that is text.
    func load(_ map: MapReader) -> (name: String?, entries: [Given]) {
        let reader = map.required("name")
        let name = reader?.text()
        let isSerialized = (type?.isDated ?? true) && map["serializers"] != nil
        let components = isSerialized ? map["serializers"].map(allComponents) : nil
        guard let reader, let name else { return (nil, components ?? []) }
        guard let components else { return (name, entry(name, .whole, reader).map { [$0] } ?? []) }
        // A serialized field's own name is never written, but it is still the key of the submission.
        let path = try? policy.path(of: name)
        if path?.isEmpty ?? false { reader.mistake("must have a component that is not empty") }
        return (name, components)
    }

    private func entry(_ name: String, _ part: Field.Part, _ reader: DocumentReader) -> Given? {
        do throws(MappingPolicy.Unplaceable) {
            let path = try policy.path(of: name)
            if !path.isEmpty { return (Field.Entry(name: name, part: part, path: path), reader) }
            reader.mistake("must have a component that is not empty")
        } catch {
            reader.mistake(error.rawValue)
        }
        return nil
    }

    /// One entry for each component of each serializer.
    private func allComponents(_ reader: DocumentReader) -> [Given] {
        guard let list = reader.list() else { return [] }
        if list.isEmpty { reader.mistake("must list at least one serializer") }
        return list.flatMap { serializer in
            guard let type else { return components(ofEither: serializer) }
            return components(of: serializer, type, other: type == .expDate ? .date : .expDate)
        }
    }

    private func components(of serializer: DocumentReader, _ type: FieldType, other: FieldType) -> [Given] {
        guard let kinds = serializer.map(keys: [type.rawValue, other.rawValue]) else { return [] }
        kinds[other.rawValue]?.mistake("a field of type \(type.rawValue) takes \(type.rawValue) serializers only")
        let kind = kinds[type.rawValue] ?? (kinds[other.rawValue] == nil ? kinds.required(type.rawValue) : nil)
        return kind.map { components(of: $0, type) } ?? []
    }

    /// The components of a field whose type is unknown, so that either kind may be right.
    private func components(ofEither serializer: DocumentReader) -> [Given] {
        let types = [FieldType.expDate, .date]
        guard let kinds = serializer.map(keys: types.map { $0.rawValue }) else { return [] }
        let given = types.flatMap { type in kinds[type.rawValue].map { components(of: $0, type) } ?? [] }
        if types.allSatisfy({ kinds[$0.rawValue] == nil }) { serializer.mistake("missing: expDate or date") }
        return given
    }

    /// In the order month, year or day, month, year.
    private func components(of kind: DocumentReader, _ type: FieldType) -> [Given] {
        let parts: [Field.Part] = type == .expDate ? [.month, .year] : [.day, .month, .year]
        guard let names = kind.map(keys: parts.map { $0.rawValue }) else { return [] }
        return parts.compactMap { part in
            guard let reader = names.required(part.rawValue), let name = reader.text() else { return nil }
            return entry(name, part, reader)
        }
    }
}
