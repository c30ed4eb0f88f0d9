/// Prometheus' text exposition format, version 0.0.4.
struct MetricsText {
    static let mediaType = "text/plain; version=0.0.4; charset=utf-8"

    enum Kind: String { case counter, gauge, histogram }

    private(set) var text = ""
    private var name = ""

    /// Begins a metric; its samples follow.
    mutating func begin(_ name: String, _ kind: Kind, _ help: String) {
        self.name = name
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
    }

    /// One sample of the metric begun last.
    mutating func sample(_ labels: KeyValuePairs<String, String>, _ value: Double) {
        line(name, labels.map { ($0.key, $0.value) }, value)
    }

    /// A metric of one value.
    mutating func single(_ name: String, _ kind: Kind, _ help: String, _ value: Int) {
        begin(name, kind, help)
        line(name, [], Double(value))
    }

    /// - Parameters:
    ///   - bounds: upper bounds in microseconds of all buckets but the last.
    ///   - counts: of each bucket alone, not cumulative.
    ///   - sum: in seconds.
    mutating func histogram(
        _ labels: KeyValuePairs<String, String>, _ bounds: [Int64], _ counts: [Int], sum: Double
    ) {
        let labels = labels.map { ($0.key, $0.value) }
        var total = 0
        for (index, count) in counts.enumerated() {
            total += count
            let bound = index < bounds.count ? "\(Double(bounds[index]) / 1e6)" : "+Inf"
            line(name + "_bucket", labels + [("le", bound)], Double(total))
        }
        line(name + "_sum", labels, sum)
        line(name + "_count", labels, Double(total))
    }

    private mutating func line(_ name: String, _ labels: [(String, String)], _ value: Double) {
        let list = labels.map { "\($0)=\"\(PANMask.masked($1))\"" }.joined(separator: ",")
        let number = value == value.rounded() && abs(value) < 1e15 ? String(Int(value)) : String(value)
        text += "\(name)\(list.isEmpty ? "" : "{\(list)}") \(number)\n"
    }
}
