import Sensitive

@testable import Gateway
@testable import Vault

extension RevealedValues {
    /// Values that are in memory alone, by their aliases.
    init(texts: [String: SensitiveText]) {
        self.init(
            texts.reduce(into: [:]) { values, pair in
                values[pair.key] = LookedUpValue(
                    volatile: pair.value, classifiers: [], aliases: [], askedFor: pair.key)
            })
    }
}
