import Vault

extension CallError {
    /// A vault's error as both planes report it; the vault plane adds errors of its own before.
    init(_ error: VaultError) {
        switch error {
        case .unavailable, .overloaded: self = .unavailable
        case .outcomeUnknown: self = .outcomeUnknown
        case .damaged(let alias): self = .damaged(alias: alias)
        case .damagedFleeting(let alias): self = .damaged(alias: alias)
        case .corrupt: self = .damaged(alias: nil)
        case .revealTooLarge(let limit): self = .revealTooLarge(limit: limit)
        case .revealsBusy: self = .responsesBusy
        case .volatileStorageFull: self = .volatileStorageFull
        case .outOfReach: self = .forbidden("the credential may only use values with certain classifiers")
        case .aliasShareUsed(let format, let seconds): self = .aliasShareUsed(format.rawValue, retryAfter: seconds)
        case .aliasSpaceExhausted(let format): self = .aliasSpaceExhausted(format: format.rawValue)
        case .unsuitableClassifiers: self = .malformed(Vault.classifierRule)
        case .tooManyAliases:
            self = .malformed("a value has \(Vault.aliasesPerValue) aliases, the most that one may have")
        default: self = .internalError
        }
    }
}
