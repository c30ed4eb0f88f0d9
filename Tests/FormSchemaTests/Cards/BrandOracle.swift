/// A second, naive reading of the brand tables: prefixes as text, compared as text.
struct BrandOracle {
    struct Line {
        let id: String
        let lengths: [Int]
        let prefixes: [(low: String, high: String)]
    }

    let lines: [Line]

    /// - Parameter text: a line a brand, as the references print it: id, lengths, prefixes and ranges, separated by ` | `.
    init(_ text: String) {
        lines = text.split(separator: "\n").map { line in
            let cells = Row.split(String(line))
            let prefixes = cells[2].split(separator: ", ").map { range in
                let ends = range.split(separator: "–").map(String.init)
                return (ends[0], ends[ends.count - 1])
            }
            let lengths = cells[1].split(separator: ", ").flatMap { range in
                let ends = range.split(separator: "–").compactMap { Int($0) }
                return Array(ends[0]...ends[ends.count - 1])
            }
            return Line(id: cells[0], lengths: lengths, prefixes: prefixes)
        }
    }

    /// The first line with a matching prefix.
    func first(_ number: String) -> String {
        lines.first { line in line.prefixes.contains { Self.matches(number, $0) } }?.id ?? "unknown"
    }

    /// The line with the longest matching prefix; the earlier one of two.
    func longest(_ number: String) -> String {
        var best = (id: "unknown", length: 0)
        for line in lines {
            for prefix in line.prefixes where Self.matches(number, prefix) && prefix.low.count > best.length {
                best = (line.id, prefix.low.count)
            }
        }
        return best.id
    }

    private static func matches(_ number: String, _ range: (low: String, high: String)) -> Bool {
        let head = String(number.prefix(range.low.count))
        return head.count == range.low.count && range.low <= head && head <= range.high
    }

    /// Numbers around both ends of every range, cut and continued in several ways.
    var edges: [String] {
        var numbers: Set<String> = []
        for prefix in lines.flatMap(\.prefixes) {
            for end in [prefix.low, prefix.high] {
                guard let value = Int(end) else { continue }
                for neighbour in [value - 1, value, value + 1] where neighbour >= 0 {
                    let text = String(neighbour)
                    for length in 1...text.count { numbers.insert(String(text.prefix(length))) }
                    for tail in ["0", "9", "00000000", "99999999", "5123456789012"] { numbers.insert(text + tail) }
                }
            }
        }
        return numbers.sorted()
    }
}

/// `prefix` filled up with zeros, and a check digit that makes the whole pass Luhn.
func luhnNumber(_ prefix: String, length: Int) -> String {
    let body = prefix + String(repeating: "0", count: length - 1 - prefix.count)
    var sum = 0
    for (position, digit) in body.reversed().enumerated() {
        let value = digit.wholeNumberValue ?? 0
        sum += position % 2 == 1 ? value : value * 2 > 9 ? value * 2 - 9 : value * 2
    }
    return body + String((10 - sum % 10) % 10)
}
