/// A submitted text after its pattern, in the terms of `fields.md` section 3.
struct ShapedText {
    let formatted: String
    let raw: String
    /// *With divider*; the same as `raw` without a pattern or a divider.
    let withDivider: String
    let slotsFilled: Int
    /// Whether a letter or number of the submitted text is in none of the slots.
    let dropped: Bool
    let redaction: Redaction

    init(
        formatted: String, raw: String, withDivider: String?, slotsFilled: Int, dropped: Bool, redaction: Redaction
    ) {
        self.formatted = formatted
        self.raw = raw
        self.withDivider = withDivider ?? raw
        self.slotsFilled = slotsFilled
        self.dropped = dropped
        self.redaction = redaction
    }

    /// Text that no pattern touches.
    init(unshaped text: String) {
        self.init(
            formatted: text, raw: text, withDivider: nil, slotsFilled: 0, dropped: false,
            redaction: Redaction(hiding: text.characterCount))
    }
}
