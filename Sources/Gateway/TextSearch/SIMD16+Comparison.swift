/// Comparisons as vectors of 0 and 255. Operators that take a plain byte beside a vector are many times slower, and masks have to be made
/// even of what is one already.
extension SIMD16 where Scalar == UInt8 {
    @inline(__always)
    static func all(_ byte: UInt8) -> Self { Self(repeating: byte) }

    @inline(__always)
    func isEqual(_ other: Self) -> Self { unsafeBitCast(self .== other, to: Self.self) }

    @inline(__always)
    func isBelow(_ other: Self) -> Self { unsafeBitCast(self .< other, to: Self.self) }

    @inline(__always)
    func isAtLeast(_ other: Self) -> Self { unsafeBitCast(self .>= other, to: Self.self) }
}
