internal import JSON

/// Builds the JSON body that a form is sent as: its fields at their paths, merged into `extraData` (`fields.md` section 11).
struct BodyBuilder {
    private let policy: MappingPolicy
    private var fields = JSONObject()

    init(policy: MappingPolicy) {
        self.policy = policy
    }

    /// Puts `value` at `path`. Paths of one form do not conflict; the loader has seen to that.
    mutating func set(_ value: JSONValue, at path: [PathElement]) {
        guard case .key(let key) = path.first else { return }
        fields.set(key, Self.setting(value, at: path.dropFirst(), in: fields[key]))
    }

    /// The fields merged into `extraData`: its members first, then new ones in field order.
    func body(mergedInto extraData: JSONObject) -> JSONValue {
        .object(merge(fields, into: extraData))
    }

    private static func setting(_ value: JSONValue, at path: ArraySlice<PathElement>, in old: JSONValue?) -> JSONValue {
        switch path.first {
        case nil: return value
        case .key(let key):
            var object = old?.object ?? JSONObject()
            object.set(key, setting(value, at: path.dropFirst(), in: object[key]))
            return .object(object)
        case .index(let index):
            var array = old?.array ?? []
            while array.count <= index { array.append(.null) }
            array[index] = setting(value, at: path.dropFirst(), in: array[index])
            return .array(array)
        }
    }

    private func merge(_ source: JSONObject, into target: JSONObject) -> JSONObject {
        var result = target
        for member in source.members {
            guard policy != .flatJSON, let old = target[member.key] else {
                result.set(member.key, member.value)
                continue
            }
            result.set(member.key, merge(member.value, into: old))
        }
        return result
    }

    private func merge(_ source: JSONValue, into target: JSONValue) -> JSONValue {
        switch (source, target) {
        case (.object(let source), .object(let target)): .object(merge(source, into: target))
        case (.array(let source), .array(let target)) where policy == .nestedJSONWithArrayMerge:
            .array(merge(source, into: target))
        default: source
        }
    }

    /// Objects meet objects where they stand and replace what else stands there; any other value is appended, and a gap
    /// only lengthens the array (`fields.md` section 11, array merge).
    private func merge(_ source: [JSONValue], into target: [JSONValue]) -> [JSONValue] {
        var result = target
        for (index, value) in source.enumerated() {
            switch value {
            case .object(let object) where index < target.count:
                result[index] = merge(.object(object), into: target[index])
            case .null:
                if index >= result.count { result.append(.null) }
            default: result.append(value)
            }
        }
        return result
    }
}
