import Vault

/// What the server has under aliases: each value once, however many of them name it. Of values that would make a reply large it tells the
/// size alone (`RedisScript.read`): they are read by commands of their own, of which a batch has as many as it has room for.
struct RedisFoundValues {
    private enum Value {
        case sealed([UInt8])
        /// Not read yet: so many bytes.
        case unread(Int)
    }

    /// For each alias the key of its value; nil if it is unknown.
    private var keys: [String?] = []
    /// By their keys; none for what is gone.
    private var values: [String: Value] = [:]
    private var room: RevealRoom?

    /// - Parameter room: nil for any size.
    init(room: RevealRoom? = nil) {
        self.room = room
    }

    /// Takes the reply to ``RedisScript/read``; nil if it is none to so many aliases. Throws `revealTooLarge` if they have no room.
    mutating func add(_ reply: RedisReply, count: Int) throws(VaultError) -> Void? {
        guard let found = reply.list, found.count == count else { return nil }
        for element in found {
            guard let parts = element.list else { return nil }
            let key = parts.first?.text
            if let key, parts.count == 2 {
                if let sealed = parts[1].bytes { values[key] = .sealed(sealed) }
                if let size = parts[1].number { values[key] = .unread(Int(clamping: size)) }
            }
            keys.append(key)
            guard let value = key.flatMap({ values[$0] }) else { continue }
            switch value {
            case .sealed(let bytes): try room?.take(sealed: bytes.count)
            case .unread(let size): try room?.take(sealed: size)
            }
        }
        return ()
    }

    /// Notes a value that is to be read: so many bytes.
    mutating func add(unread key: String, _ size: Int) {
        keys.append(key)
        values[key] = .unread(size)
    }

    /// Those that are not read yet.
    var unread: [(key: String, size: Int)] {
        values.compactMap { key, value in if case .unread(let size) = value { (key, size) } else { nil } }
    }

    /// Notes what stands under a key; nil for what is gone.
    mutating func note(_ sealed: [UInt8]?, at key: String) { values[key] = sealed.map { .sealed($0) } }

    /// What each alias stands for; nil for those that are unknown.
    ///
    /// - Parameter name: of a value, from its key.
    func all(_ name: (String) -> String) -> [SharedVolatileValue?] {
        keys.map { key in
            guard let key, case .sealed(let sealed)? = values[key] else { return nil }
            return SharedVolatileValue(name: name(key), sealed: sealed)
        }
    }
}
