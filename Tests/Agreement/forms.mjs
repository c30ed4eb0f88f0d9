// Random forms with every key of the schema, and random submissions to them.

/** Numbers from a seed: the same seed gives the same forms everywhere (mulberry32). */
export class Random {
  constructor(seed) {
    this.state = seed >>> 0
  }
  next() {
    let t = (this.state = (this.state + 0x6d2b79f5) >>> 0)
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
  below(count) {
    return Math.floor(this.next() * count)
  }
  chance(share) {
    return this.next() < share
  }
  of(list) {
    return list[this.below(list.length)]
  }
  some(list) {
    return list.filter(() => this.chance(0.5))
  }
  text(count, make) {
    let text = ''
    for (let i = 0; i < count; i++) text += make()
    return text
  }
}

// Characters that have gone wrong somewhere before: marks, joiners, families, flags, other digits, cases with several letters, halves of
// syllables, separators, controls, and scalars that are younger than Unicode 14 or not assigned.
export const hostile = [
  '\u0301', 'e\u0301', 'é', '\u200d', '\u200c', '👨‍👩‍👧', '🏽', '👍🏽', '🇩🇪', '🇩', '1\u20e3', '1\ufe0f\u20e3', '٣', '３', '𝟘', '²', '½', 'Ⅷ', 'ǅ', 'ß', 'İ', 'ı',
  'ŉ', 'ﬁ', 'ς', 'Σ', '\u212a', '\u212b', '\u037e', '\u1112\u1161\u11ab', '\u1112', '한', '李', '𠀋', '𝔸', '\u0600', '\u06dd', '\u0903', '\u0e33', 'कि', '\u2028', '\u0085',
  '\u00a0', '\u3000', '\ufeff', '\u0000', '\u001f', '\t', '\n', '\r', '\r\n', '\u202e', '\u061c', '\ud83e\ude77', '\u{1e4d0}', '\u{16d41}', '\u0378', '\u{10ffff}', '\ue000',
  '\u0345', 'ᾳ', '\u1f88', 'ſ', 'µ', 'ª', '·', '’', '"', '\\', '/', '<', '•', '\u05d0', '\u0628', '๓', '\u{e0031}', '\u0f39', '\ua8e0', '\u{11f02}', '\u{1f1e6}\u{1f1e7}\u{1f1e8}',
]

// Those of them that Unicode 14 has not assigned: their properties differ between versions of it.
export const young = ['\ud83e\ude77', '\u{1e4d0}', '\u{16d41}', '\u0378', '\u{10ffff}', '\u{11f02}']

const letters = 'abcxyzABCXYZ'
const separators = [' ', '-', '/', '.', ',', '(', ')', '_', "'"]
const digit = r => String(r.below(10))
const letter = r => r.of([...letters])

function luhn(prefix, length, r) {
  let digits = (prefix + r.text(19, () => digit(r))).slice(0, length - 1)
  for (let check = 0; check < 10; check++) {
    const all = digits + check
    let sum = 0
    for (let i = 0; i < all.length; i++) {
      let d = Number(all[all.length - 1 - i])
      if (i % 2) d = d > 4 ? 2 * d - 9 : 2 * d
      sum += d
    }
    if (sum % 10 === 0) return all
  }
  return digits + '0'
}

// A pattern in PCRE2's syntax; some of what it has, JavaScript lacks or reads in another way.
function pattern(r, depth = 0) {
  const atoms = [
    () => letter(r), () => digit(r), () => '\\d', () => '\\w', () => '\\s', () => '\\S', () => '\\D', () => '\\W', () => '.', () => '[a-z]', () => '[^0-9]', () => '[A-Z0-9_]',
    () => '[[:alpha:]]', () => '[]a]', () => '[^]a]', () => '[a\\-z]', () => '[\\d.]', () => '\\p{L}', () => '\\p{Lu}', () => '\\P{N}', () => '[\\p{L}\\p{M}]', () => '\\pN', () => '\\.',
    () => '\\/', () => ' ', () => '-', () => 'é', () => '\\x41', () => '\\x{e9}', () => '\\h', () => '\\v', () => '\\R', () => '\\X', () => '#', () => '{', () => '}', () => ']', () => '\\t',
    () => '[ -~]', () => '\\N', () => '[\\s\\S]', () => '[^\\s]', () => '[[:^digit:]]', () => '😀', () => '[😀é]',
  ]
  const item = () => {
    const kind = r.below(20)
    if (kind === 0 && depth < 2) return `(${pattern(r, depth + 1)})`
    if (kind === 1 && depth < 2) return `(?:${pattern(r, depth + 1)}|${pattern(r, depth + 1)})`
    if (kind === 2 && depth < 2) return `(?=${pattern(r, depth + 1)})`
    if (kind === 3 && depth < 2) return `(?!${pattern(r, depth + 1)})`
    if (kind === 4 && depth < 2) return `(?<n${r.below(1000)}>${pattern(r, depth + 1)})`
    if (kind === 5 && r.chance(0.2)) return r.of(['(?i)', '\\1', '(?<=a)', '(?>a)', 'a++', '\\Qa.b\\E', '(?#c)', '\\K', '(?|a|b)'])
    if (kind === 6) return r.of(['^', '$', '\\b', '\\B', '\\A', '\\z', '\\Z'])
    return r.of(atoms)()
  }
  const quantifier = () => r.of(['', '', '', '', '*', '+', '?', '{2}', '{1,3}', '{2,}', '*?', '+?', '{0,2}?', '{,2}'])
  return r.text(1 + r.below(depth ? 3 : 5), () => {
    const atom = item()
    return /^(\^|\$|\\[bBAzZ]|\(\?[=!])/.test(atom) ? atom : atom + quantifier()
  })
}

// Patterns as forms have them.
const usual = [
  '[A-Z]{2}\\d{4}', '\\d{3}-?\\d{4}', '[A-Za-z]+(?: [A-Za-z]+)*', '\\p{L}[\\p{L}\\p{M} \'-]+', '^\\d+$', '[^@\\s]+@[^@\\s]+\\.[a-z]{2,}', '(?=.*\\d)(?=.*[a-z]).{6,}', '(\\d{3})(\\d{2})', 'a|b|cd?',
  '\\s+$', '(a+)+', '(a|aa)+b', '.*x.*y', '[0-9]{1,5}', '',
]
const somePattern = r => (r.chance(0.5) ? r.of(usual) : pattern(r))
const formatPattern = r =>
  r.text(r.below(8), () => r.of(['#', '#', '#', '@', 'a', 'A', '*', ' ', '-', '/', '(', ')', '.', '+', '1', 'é', 'x', '·', '\u0301', '😀'].slice(0, r.chance(0.85) ? 14 : 20)))

function mask(r) {
  if (r.chance(0.5)) return r.text(1 + r.below(8), () => r.of(['#', '#', 'c', 'C', ' ', '-', '(', ')', '+', '1', 'é']))
  return Array.from({ length: 1 + r.below(6) }, () =>
    r.chance(0.35)
      ? r.of([' ', '-', '(', 'é', '1', '👍🏽'])
      : { pattern: r.of(['[0-9]', '[a-z]', '\\d', '\\p{L}', '\\p{Lu}', '.', '[A-F0-9]', '\\w', '[^0-9]', '\\S', '(?i)a', '[[:punct:]]', '\\X']), ...(r.chance(0.4) && { case: r.of(['upper', 'lower']) }) }
  )
}

function transform(r) {
  const step = () => {
    if (r.chance(0.2)) return { case: r.of(['upper', 'lower']) }
    const [matcher, groups] = r.of([
      ['\\D', 0], ['[ -]', 0], ['^(\\d{3})(\\d{3})$', 2], ['(\\w)(\\w)', 2], ['[^a-z]+', 0], ['(a)|(b)', 2], ['\\s', 0], ['x*', 0], ['.', 0], ['(\\p{L})', 1], ['(?<=a)b', 0], ['\\d+?', 0], ['([a-z]+)[0-9]', 1],
    ])
    const replacement = r.of(['', '-', '$0$0', '[$0]', '\\$1', 'é😀', ...(groups > 0 ? ['<$1>', '$1$1'] : []), ...(groups > 1 ? ['$2-$1'] : [])])
    return { matcher, ...(r.chance(0.8) && { replacement }), ...(r.chance(0.3) && { case: r.of(['upper', 'lower']) }) }
  }
  return r.chance(0.6) ? step() : Array.from({ length: 1 + r.below(3) }, step)
}

const expiryFormats = ['shortYear', 'longYear', 'shortYearThenMonth', 'longYearThenMonth']
const dateFormats = ['mmddyyyy', 'ddmmyyyy', 'yyyymmdd']

function rules(r) {
  const list = Array.from({ length: r.below(4) }, () => {
    const rule = r.of(['pattern', 'pattern', 'pattern', 'length', 'lengthMatch', 'luhnCheck', 'paymentCard', 'cardExpirationDate', 'dateRange', 'abaRoutingNumber', 'email', 'phone', 'personName', 'iban'])
    const min = r.below(6)
    const parameters = {
      pattern: () => ({ pattern: somePattern(r) }),
      length: () => ({ ...(r.chance(0.6) && { min }), ...(r.chance(0.6) && { max: min + r.below(12) }), ...(r.chance(0.03) && { max: 9007199254740991 }) }),
      lengthMatch: () => ({ lengths: Array.from({ length: 1 + r.below(3) }, () => r.below(20)) }),
      paymentCard: () => (r.chance(0.6) ? { validateUnknownCardBrand: r.chance(0.7) } : {}),
      cardExpirationDate: () => (r.chance(0.5) ? { dateFormat: r.of(expiryFormats) } : {}),
      dateRange: () => ({ ...(r.chance(0.5) && { dateFormat: r.of(dateFormats) }), ...(r.chance(0.4) && { start: '1990-02-28' }), ...(r.chance(0.4) && { end: '2031-11-05' }) }),
    }[rule]
    return { rule, ...parameters?.(), ...(r.chance(0.15) && { error: r.of(['NO', 'Ungültig 😀', 'DATE_VALIDATION_ERROR']) }) }
  })
  return list
}

const formats = ['UUID', 'RAW_UUID', 'GENERIC_T_FOUR', 'NUM_LENGTH_PRESERVING', 'PFPT', 'FPE_SIX_T_FOUR', 'FPE_T_FOUR', 'FPE_SSN_T_FOUR', 'FPE_ACC_NUM_T_FOUR', 'FPE_ALPHANUMERIC_ACC_NUM_T_FOUR',
  'ALPHANUMERIC_SIX_T_FOUR', 'ALPHANUMERIC_LENGTH_PRESERVING', 'ALPHANUMERIC_LENGTH_PRESERVING_T_FOUR', 'ALPHANUMERIC_SSN_T_FOUR', 'ALPHANUMERIC_LENGTH_PRESERVING_SIX_T_FOUR', 'NON_LUHN_FPE_ALPHANUMERIC', 'VGS_FIXED_LEN_GENERIC']
const types = ['none', 'none', 'none', 'cardNumber', 'cardNumber', 'expDate', 'date', 'cvc', 'cvc', 'cardHolderName', 'ssn', 'file']

function field(r, index) {
  const type = r.of(types)
  const name = r.of(['f', 'card.', 'a[0].', 'Feld·', 'e\u0301', '']) + `n${index}`
  const result = { name }
  if (type !== 'none' || r.chance(0.5)) result.type = type
  for (const flag of ['isRequired', 'isRequiredValidOnly', 'isValidIfPresent']) if (r.chance(0.3)) result[flag] = r.chance(0.8)
  if (type === 'file') {
    if (r.chance(0.5)) result.file = { ...(r.chance(0.7) && { maxBytes: 1 + r.below(12) }), ...(r.chance(0.5) && { contentTypes: [r.of(['image/png', 'text/plain', 'application/pdf', 'image/gif'])] }) }
    return result
  }
  const isElement = ['none', 'cardHolderName', 'ssn'].includes(type) && r.chance(0.4)
  if (isElement) {
    if (r.chance(0.7)) result.mask = mask(r)
    if (r.chance(0.5)) result.transform = transform(r)
    if (r.chance(0.4)) result.validation = somePattern(r)
  } else {
    if (r.chance(0.35)) result.formatPattern = formatPattern(r)
    if (r.chance(0.35)) result.divider = r.of(['', '-', '/', '::', ' ', 'é', '1', '\u0301', '\r', '"', '·'])
  }
  if (r.chance(0.25)) result.maxInputLength = r.chance(0.05) ? 4294967296 : r.below(20)
  if (r.chance(0.35)) result.validationRules = rules(r)
  if (type === 'expDate' || type === 'date') {
    const known = type === 'date' ? dateFormats : expiryFormats
    if (r.chance(0.5)) result.inputDateFormat = r.of(known)
    if (r.chance(0.5)) result.outputDateFormat = r.of(known)
    if (r.chance(0.4)) result.serializers = [type === 'date' ? { date: { day: `d${index}`, month: `m${index}`, year: `y${index}` } } : { expDate: { month: `m${index}`, year: `y${index}` } }]
  }
  if (r.chance(0.35)) result.tokenization = { ...(r.chance(0.7) && { format: r.of(formats) }), ...(r.chance(0.2) && { classifiers: ['pii'] }), ...(r.chance(0.1) && { ttl: '180d' }) }
  return result
}

function cardBrands(r) {
  const result = {}
  if (r.chance(0.5)) result.catalogue = r.of(['vgs', 'basisTheory'])
  const custom = Array.from({ length: r.below(3) }, (_, i) => ({
    name: r.of(['Store', 'Störe', 'B']) + i, prefixes: r.of([['9100-9149', '977'], ['4'], ['123456'], ['60-65']]), lengths: r.of([[16], [12, 19], [6, 8]]),
    ...(r.chance(0.4) && { cvcLengths: [3, 5] }), ...(r.chance(0.4) && { formatPattern: r.of(['#### #### #### #### ###', '###-###-###-###-###-####', '']) }), ...(r.chance(0.4) && { checksum: r.of(['luhn', 'none']) }),
  }))
  if (custom.length) result.custom = custom
  if (r.chance(0.3)) {
    const stock = result.catalogue === 'basisTheory' ? ['visa', 'mastercard', 'maestro', 'elo', 'unionPay'] : ['visa', 'amex', 'elo', 'hipercard', 'discover', 'unionpay']
    result.valid = r.some([...stock, ...custom.map(brand => 'custom:' + brand.name)])
  }
  if (r.chance(0.3)) result.unknown = { ...(r.chance(0.5) && { lengths: [9, 16] }), ...(r.chance(0.5) && { cvcLengths: [3] }), ...(r.chance(0.5) && { checksum: 'none' }), ...(r.chance(0.5) && { formatPattern: '#### ###############' }) }
  return result
}

export function form(r, number) {
  const count = 1 + r.below(5)
  return {
    form: `f${number}`,
    ...(r.chance(0.1) && { title: 'T' }),
    ...(r.chance(0.1) && { timeZone: 'UTC' }),
    ...(r.chance(0.3) && { fieldNameMappingPolicy: r.of(['flatJSON', 'nestedJSON', 'nestedJSONWithArrayOverwrite', 'nestedJSONWithArrayMerge']) }),
    ...(r.chance(0.1) && { access: { validate: r.of(['public', 'session', 'credential']) } }),
    ...(r.chance(0.1) && { allowedOrigins: ['https://shop.example'] }),
    ...(r.chance(0.1) && { guard: { pan: r.of(['refuse', 'mask', 'report', 'off']) } }),
    ...(r.chance(0.4) && { lenientInput: r.chance(0.5) }),
    ...(r.chance(0.2) && { omitEmptyFields: r.chance(0.5) }),
    ...(r.chance(0.4) && { cardBrands: cardBrands(r) }),
    fields: Array.from({ length: count }, (_, index) => field(r, index)),
  }
}

// A text that has a chance of being valid for the field.
function plausible(r, field) {
  const number = () => {
    const [prefix, length] = r.of([['4', 16], ['4', 19], ['51', 16], ['34', 15], ['36', 14], ['6011', 16], ['622', 17], ['627780', 16], ['977', 16], ['9100', 16], ['2200', 16], ['50', 12], ['4026', 16], ['12', 16]])
    const digits = luhn(prefix, length, r)
    return r.chance(0.5) ? digits : digits.replace(/(.{4})/g, '$1' + r.of([' ', '-']))
  }
  const two = max => String(1 + r.below(max)).padStart(2, '0')
  switch (field.type) {
    case 'cardNumber': return number()
    case 'cvc': return r.text(3 + r.below(2), () => digit(r))
    case 'expDate': {
      const year = r.of(['26', '27', '46', '47', '2026', '2031', '99'])
      const divider = r.of(['/', '', ' / ', '-'])
      return r.chance(0.7) ? two(12) + divider + year : year + divider + two(12)
    }
    case 'date': {
      const divider = r.of(['/', '', '-', '.'])
      return r.of([[two(12), two(31), '2031'], [two(31), two(12), '1582'], ['2026', two(12), two(31)]]).join(divider)
    }
    case 'ssn': return r.of(['219-09-9999', '219099999', '000-12-3456', '666 12 3456'])
    case 'cardHolderName': return r.of(['Ann Li', "O'Brien", 'Zoë', 'J. R.'])
    case 'file': return r.of(['iVBORw0KGgo=', 'aGVsbG8=', 'AAAA', 'AA=', '', 'R0lGODlh', 'aGVs\nbG8='])
    default: return r.of(['ana@shop.example', '415-555-0199', 'DE89370400440532013000', 'DE89 3704 0044 0532 0130 00', '021000021', 'AB1234', '4155550199', number(), 'Ann Li', 'abc', '12312026', '1126', 'aaab', 'x1y'])
  }
}

function text(r, field) {
  const kind = r.below(20)
  if (kind === 0) return ''
  if (kind <= 8) return plausible(r, field)
  if (kind <= 12) {
    const base = [...plausible(r, field)]
    for (let edits = 1 + r.below(3); edits > 0; edits--) {
      const at = r.below(base.length + 1)
      base.splice(at, r.below(2), r.chance(0.5) ? r.of(hostile) : r.of([digit(r), letter(r), r.of(separators)]))
    }
    return base.join('')
  }
  if (kind <= 15) return r.text(r.below(14), () => r.of([digit(r), digit(r), letter(r), r.of(separators)]))
  if (kind <= 18) return r.text(r.below(10), () => (r.chance(0.5) ? r.of(hostile) : r.of([digit(r), letter(r)])))
  return r.text(r.below(300), () => r.of(['a', '1', ' ', 'é']))
}

/** The fields of a submission. No lone surrogates: these are no JSON, and both sides refuse them. */
export function submission(r, form) {
  const fields = {}
  for (const field of form.fields) if (r.chance(0.85)) fields[field.name] = text(r, field).replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, '')
  return fields
}
