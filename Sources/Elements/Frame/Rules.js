/** @typedef {import('../Scripts/engine.mjs').Engine} Engine */
/** @typedef {import('../Scripts/engine.mjs').Verdict} Verdict */
/** @typedef {{ fieldName: string, type: string, isRequired: boolean, isRequiredValidOnly: boolean, isValidIfPresent: boolean, inputMode: string, autocomplete: string, enterKeyHint: string, formatPattern?: string, inputDateFormat?: string, file?: { contentTypes?: string[] } }} DescribedField */
/** @typedef {{ form: string, timeZone: string, ahead: number, version: string | null, fields: DescribedField[], cardBrands?: { brands: { cardBrand: string, lengths: number[] }[] }, schema: object }} Described */

/** @type {Record<string, Intl.DateTimeFormat>} */
const days = {}

/**
 * Today by the gateway's clock and in the form's time zone, as `YYYY-MM-DD`. Devices are set wrong more often than servers. The first
 * call takes some 20 ms, in which a browser reads its data on time zones.
 * @param {{ timeZone: string, ahead: number }} described `ahead`: by how many milliseconds the gateway's clock was.
 */
export function todayIn({ timeZone, ahead }) {
  const day = (days[timeZone] ??= new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' }))
  return day.format(Date.now() + (ahead || 0))
}

/** The one form of this frame, with the engine. */
export class Rules {
  /**
   * Both are the controller's, and serve all frames of the form: an engine reserves gigabytes of addresses, and a browser has room for some
   * 125 of them. Their names are the same in every build, as a controller that is loaded again may be of the next one.
   * @param {{ engine: Engine, described: Described }} shared
   */
  constructor({ engine, described }) {
    this.engine = engine
    this.described = described
  }

  /** @param {string} name */
  field(name) {
    return this.described.fields.find(({ fieldName }) => fieldName === name)
  }

  /**
   * The names of the fields of a type.
   * @param {string} type
   */
  named(type) {
    return this.described.fields.filter((field) => field.type === type).map(({ fieldName }) => fieldName)
  }

  /**
   * Whether numbers of a brand usually go on behind so many digits. Cards with more than 16 exist, but hardly any.
   * @param {string | undefined} brand None of what is no card number.
   * @param {number} length
   */
  goesOn(brand, length) {
    const lengths = this.described.cardBrands?.brands.find(({ cardBrand }) => cardBrand === brand)?.lengths ?? [19]
    return brand && length !== 16 && lengths.some((next) => next > length)
  }

  /**
   * The card number that a security code belongs to: the first to the first, the second to the second.
   * @param {string} name
   * @returns {string | undefined}
   */
  cardOf(name) {
    return this.named('cardNumber')[this.named('cvc').indexOf(name)]
  }

  /** @param {Record<string, string>} fields @returns {Verdict} */
  evaluate(fields) {
    return this.engine.evaluate(/** @type {any} */ (this.described), { fields }, { today: todayIn(this.described) })
  }

  /** @param {string} field @param {string} text @param {number} caret @param {{ cardNumber?: string, edit: object }} options */
  shape(field, text, caret, options) {
    return this.engine.shape(/** @type {any} */ (this.described), field, text, caret, options)
  }
}
