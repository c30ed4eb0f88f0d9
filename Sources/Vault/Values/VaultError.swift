public import Crypto

/// Everything that the vault can refuse or fail with. No case ever carries a value; aliases and format names may appear.
public enum VaultError: Error, Sendable, Equatable {
    /// These aliases exist in no storage, or not in the one that was named, or have expired (404).
    case unknownAliases([String])
    /// One request referenced the same alias twice (400).
    case repeatedReference(String)
    /// The value of the item at this index (0-based) is not one that the format can stand for (400).
    case valueDoesNotFit(AliasFormat, item: Int)
    /// A value has more classifiers, or longer ones, than one may have (400); of an item, the one at this index (0-based).
    case unsuitableClassifiers(item: Int?)
    /// The value of the item at this index (0-based) has as many aliases as a value may have (400).
    case tooManyAliases(item: Int)
    /// Every alias that the format could give this value is taken (507).
    case aliasSpaceExhausted(AliasFormat)
    /// Too many of the aliases that the format could give this value were made for the same caller (503). In seconds it may have more.
    case aliasShareUsed(AliasFormat, retryAfter: Int)
    /// The caller may not change a value that is stored already and has other classifiers (403). Nothing was stored.
    case outOfReach
    /// What was asked for takes more bytes than one request may reveal (413). Nothing was opened.
    case revealTooLarge(limit: Int)
    /// What was opened for other requests of the caller, and has not been returned yet, leaves no room for the values (503). Nothing was opened.
    case revealsBusy
    /// As many volatile aliases are alive as may be; there is room again when some expire or are deleted (503).
    case volatileStorageFull
    /// The store is full, locked or cannot write; the same request may succeed later (503). Nothing was stored, but for VOLATILE values that
    /// processes share: their server may have some of them, until they end, by aliases that were returned to no caller.
    case unavailable(String)
    /// The request has waited too long for its turn at the store, or too many were waiting (503). Nothing was done.
    case overloaded
    /// The commit failed in a way that leaves its outcome unknown: a sync that returned an error, a connection that broke
    /// meanwhile (503). The request may be stored wholly or not at all; what was remembered of the store is forgotten.
    case outcomeUnknown(String)
    /// A row is not what this vault wrote there: changed, moved, or put back after it was replaced (503). Names the alias
    /// that was asked for, where there was one.
    case damaged(alias: String?)
    /// The same for a volatile value that processes share, and an alias that may keep characters of it, as far as is known: it may be
    /// returned to the caller, and not be written to a log (503).
    case damagedFleeting(alias: String)
    /// The store as a whole cannot be read: a damaged file, missing keys, a key's row that was changed (503).
    case corrupt(String)
    /// The master key is not the one that this vault's keys are wrapped with. Nothing was written.
    case wrongMasterKey
    /// The master key cannot be read, or is not a key; the text says why and never shows the key.
    case unusableMasterKey(String)
    /// A primitive of the cryptographic library failed (500).
    case cryptography(String)
}

extension VaultError {
    /// Whether a record is not what this vault wrote.
    var isDamage: Bool {
        switch self {
        case .damaged, .damagedFleeting: true
        default: false
        }
    }

    /// A failed cryptographic step, as the vault tells it.
    public init(_ error: CryptoError) {
        switch error {
        case .noRandomness: self = .unavailable("\(error)")
        case .failed, .unsuitableLength: self = .cryptography("\(error)")
        }
    }
}

/// Runs a cryptographic step; what it throws becomes an error of the vault.
@inline(__always)
func crypto<Result>(_ step: @autoclosure () throws(CryptoError) -> Result) throws(VaultError) -> Result {
    do { return try step() } catch { throw VaultError(error) }
}

extension VaultError: CustomStringConvertible {
    /// One line for a log or a start-up message.
    public var description: String {
        switch self {
        case .unknownAliases(let aliases): "unknown aliases: \(aliases.joined(separator: ", "))"
        case .repeatedReference(let alias): "alias referenced twice: \(alias)"
        case .valueDoesNotFit(let format, let item): "value of item \(item) does not fit format \(format.rawValue)"
        case .unsuitableClassifiers: Vault.classifierRule
        case .tooManyAliases(let item):
            "the value of item \(item) has \(Vault.aliasesPerValue) aliases, the most that one may have"
        case .aliasSpaceExhausted(let format): "alias space exhausted: \(format.rawValue)"
        case .aliasShareUsed(let format, _): "a caller has used up its share of the aliases of \(format.rawValue)"
        case .outOfReach: "the caller may not change a value with these classifiers"
        case .revealTooLarge(let limit): "the values of one request are larger than \(limit) bytes"
        case .revealsBusy: "a caller's responses with values that it has not taken use up its room"
        case .volatileStorageFull: "the volatile storage is full"
        case .unavailable(let reason): "the vault is unavailable: \(reason)"
        case .overloaded: "too many requests are waiting for the store"
        case .outcomeUnknown(let reason): "whether the change was stored is not known: \(reason)"
        case .damaged(let alias?): "the record behind \(alias) is damaged"
        case .damagedFleeting: "the record behind an alias of a VOLATILE value is damaged"
        case .damaged(nil): "a record is damaged"
        case .corrupt(let reason): "the vault is damaged: \(reason)"
        case .wrongMasterKey:
            "the vault's keys are wrapped under another master key than the one that this process was given"
        case .unusableMasterKey(let reason): "the master key cannot be used: \(reason)"
        case .cryptography(let reason): "cryptographic failure: \(reason)"
        }
    }
}
