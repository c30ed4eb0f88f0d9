/// Numbers as bytes, most significant first: how everything that is stored, sealed or covered by a code has them, so that the same
/// bytes mean the same on every machine.
extension FixedWidthInteger {
    /// The bytes of the number.
    @inlinable package var bigEndianBytes: [UInt8] {
        // Sound: the bytes are copied before the call ends.
        withUnsafeBytes(of: bigEndian) { Array($0) }
    }

    /// The number that has these bytes; nil if they are not as many as the type has.
    @inlinable package init?(bigEndianBytes bytes: some Collection<UInt8>) {
        guard bytes.count == Self.bitWidth / 8 else { return nil }
        self = bytes.reduce(0) { $0 << 8 | Self(truncatingIfNeeded: $1) }
    }
}

extension [UInt8] {
    /// Appends the bytes of a number.
    @inlinable package mutating func append(bigEndian number: some FixedWidthInteger) {
        // Sound: the bytes are copied before the call ends.
        Swift.withUnsafeBytes(of: number.bigEndian) { append(contentsOf: $0) }
    }
}

extension ArraySlice<UInt8> {
    /// Takes a number from the front; nil if there are fewer bytes than the type has.
    @inlinable package mutating func takeBigEndian<Number: FixedWidthInteger>(_: Number.Type) -> Number? {
        let size = Number.bitWidth / 8
        guard count >= size, let number = Number(bigEndianBytes: prefix(size)) else { return nil }
        self = dropFirst(size)
        return number
    }
}
