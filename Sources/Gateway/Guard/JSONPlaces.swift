import FormSchema
import JSON

/// Where card numbers stand in JSON, as pointers (RFC 6901).
enum JSONPlaces {
    /// The pointers of texts, numbers and members that hold one that is not exempt; nil if the bytes are not JSON, or if no single text has
    /// it all.
    static func pointers(_ bytes: [UInt8], exempt: PANFilter.Exemptions) -> [String]? {
        guard let json = try? JSONValue.parse(bytes) else { return nil }
        var places: [String] = []
        collect(json, at: "", exempt, into: &places)
        return places.isEmpty ? nil : places
    }

    private static func collect(
        _ json: JSONValue, at pointer: String, _ exempt: PANFilter.Exemptions, into places: inout [String]
    ) {
        guard places.count < PANFilter.maximumPlaces else { return }
        switch json {
        case .string(let text): if holdsNumber(text, exempt) { places.append(pointer) }
        case .number(let number): if holdsNumber(number.text, exempt) { places.append(pointer) }
        case .array(let elements):
            for (index, element) in elements.enumerated() {
                collect(element, at: "\(pointer)/\(index)", exempt, into: &places)
            }
        case .object(let object):
            for member in object.members {
                let name = member.key.replacing("~", with: "~0").replacing("/", with: "~1")
                // The name of a member may be the number itself.
                let place = "\(pointer)/\(PANMask.masked(name))"
                if holdsNumber(member.key, exempt) { places.append(place) }
                collect(member.value, at: place, exempt, into: &places)
            }
        case .null, .bool: break
        }
    }

    private static func holdsNumber(_ text: String, _ exempt: PANFilter.Exemptions) -> Bool {
        var filter = PANFilter(.report, isJSON: false, exempt: exempt)
        _ = filter.filter(Array(text.utf8), isLast: true)
        return filter.found > 0
    }
}
