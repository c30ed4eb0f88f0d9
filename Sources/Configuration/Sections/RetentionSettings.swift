import FormSchema

/// One entry of `retention`: how long values that carry a classifier are stored.
public struct RetentionSettings: Sendable, Equatable {
    /// Values with this classifier are meant.
    public let classifier: String
    /// From when the value was first stored.
    public let keep: Duration
}

extension ConfigurationScope {
    func retention(_ reader: DocumentReader, vault: VaultSettings) -> [RetentionSettings] {
        if vault.remote != nil {
            reader.mistake("this gateway stores no values: they are in the remote vault")
        }
        var retention: [RetentionSettings] = []
        for entry in reader.list() ?? [] {
            guard let map = entry.map(keys: ["classifier", "keep"]) else { continue }
            let keep = map.required("keep")?.timeSpan(in: .seconds(1)...Duration.seconds(36_500 * 86_400))
            guard let name = map.required("classifier"), let classifier = name.text() else { continue }
            if !DocumentReader.isClassifier(classifier) { name.mistake(DocumentReader.classifierRule) }
            if retention.contains(where: { $0.classifier == classifier }) {
                name.mistake("\(classifier): is there twice")
            } else if let keep {
                retention.append(RetentionSettings(classifier: classifier, keep: keep))
            }
        }
        return retention
    }
}
