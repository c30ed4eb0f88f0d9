internal import JSON

/// International bank account numbers (ISO 13616-1): the country's length, upper-case letters, and check digits by ISO/IEC 7064
/// MOD 97-10. The structure of the national part is not checked (`docs/reference/fields.md` section 6).
enum IBAN {
    /// - Parameter text: spaces in it are ignored.
    static func isValid(_ text: String) -> Bool {
        var number: [UInt8] = []
        for byte in text.utf8 where byte != UInt8(ascii: " ") {
            guard byte.isDigit || byte &- 0x41 < 26, number.count < longest else { return false }
            number.append(byte)
        }
        guard number.count > 4, number.count == length(of: number[0], number[1]) else { return false }
        guard number[2].isDigit, number[3].isDigit else { return false }
        // 98 - remainder is what is issued, so 00, 01 and 99 never are although 97, 98 and 02 have the same remainder.
        let check = 10 * Int(number[2] - 0x30) + Int(number[3] - 0x30)
        return (2...98).contains(check) && remainder(of: number) == 1
    }

    /// Longest of all countries, in characters (Russia).
    private static let longest = 33

    /// Modulo 97 of the number with the first four characters moved to the end and each letter as 10 to 35.
    private static func remainder(of number: [UInt8]) -> Int {
        var remainder = 0
        for byte in number[4...] + number[..<4] {
            remainder =
                byte.isDigit
                ? (10 * remainder + Int(byte - 0x30)) % 97 : (100 * remainder + Int(byte - 0x41) + 10) % 97
        }
        return remainder
    }

    /// Length of a country's numbers; nil for a country without any.
    private static func length(of first: UInt8, _ second: UInt8) -> Int? {
        let table = countries.utf8Span.span
        var position = 0
        while position + 4 <= table.count {
            if table[position] == first, table[position + 1] == second {
                return 10 * Int(table[position + 2] &- 0x30) + Int(table[position + 3] &- 0x30)
            }
            position += 5
        }
        return nil
    }

    /// Country and length, of the registry that SWIFT keeps for ISO 13616 (release 101).
    private static let countries = """
        AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 EE20 EG29 ES24 FI18 \
        FK18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HN28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 LI21 LT20 \
        LU20 LV21 LY25 MC27 MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 PT25 QA29 RO24 RS22 RU33 SA24 \
        SC31 SD18 SE24 SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 YE30
        """
}
