/// Cuts bytes into pieces, the same ones for the same seed (a linear congruential generator, Knuth's MMIX constants).
struct Splits {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func split(_ bytes: [UInt8]) -> [ArraySlice<UInt8>] {
        let longest = 1 + next(below: 40)
        var pieces: [ArraySlice<UInt8>] = []
        var start = 0
        while start < bytes.count {
            let end = min(bytes.count, start + 1 + next(below: longest))
            pieces.append(bytes[start..<end])
            start = end
        }
        return pieces
    }

    private mutating func next(below bound: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int(state >> 33) % bound
    }
}
