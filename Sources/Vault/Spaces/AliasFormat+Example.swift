import Crypto

extension AliasFormat {
    /// An alias that this format could give to the value, and always the same one: for documents. Nil if it does not accept the value.
    public func example(for value: String, environment: VaultEnvironment) -> String? {
        guard accepts(value) else { return nil }
        var block = RandomBlock { bytes in
            // A linear congruential generator: any bytes will do.
            var next: UInt32 = 17
            for index in bytes.indices {
                next = next &* 1_664_525 &+ 1_013_904_223
                bytes[index] = UInt8(next >> 24)
            }
            return true
        }
        guard let space = AliasSpace(self, value: value) else {
            return try? TokenAlias.draw(self, value: value, environment: environment, &block)
        }
        return (try? space.draw(&block)).map { String(decoding: $0, as: UTF8.self) }
    }
}
