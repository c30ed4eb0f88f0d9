// What a message between page and frame may look like. Both sides check with these: neither trusts the other.

/** Longest text of an option, and of a key for idempotency, in UTF-16 code units. */
export const LONGEST_TEXT = 255

/** What a frame's script says to the page as soon as it runs: that it waits for the first message, and for which CSS variables. */
export const ASK = 'ask'

/**
 * @param {unknown} value
 * @returns {value is Record<string, unknown>}
 */
export const isRecord = (value) => value !== undefined && value !== null && [Object.prototype, null].includes(Object.getPrototypeOf(value))

/** Longest message but a call, without CSS variables, in UTF-16 code units of its JSON text. */
export const LONGEST_MESSAGE = 16_384

/** @param {unknown} data @returns {data is Record<string, any>} */
export function isSmall(data) {
  try {
    return isRecord(data) && JSON.stringify(data).length <= LONGEST_MESSAGE
  } catch {
    return false
  }
}

/**
 * Whether a value is text of at most this length.
 * @param {unknown} value
 * @param {number} [longest]
 * @returns {value is string}
 */
export const isText = (value, longest = LONGEST_TEXT) => typeof value === 'string' && value.length <= longest

/** @param {unknown} value */
export const isOptionalText = (value) => value === undefined || isText(value)

/** @param {unknown} value @returns {value is string} */
export const isLocale = (value) => isText(value) && /^[\w-]{1,35}$/.test(value)

/** @param {unknown} value */
export const isOptionalFlag = (value) => value === undefined || typeof value === 'boolean'

/**
 * Whether a value is an object of texts, with at most 100 members.
 * @param {unknown} value
 * @param {number} [longest]
 * @returns {value is Record<string, string>}
 */
export const isTextMap = (value, longest) =>
  isRecord(value) && Object.keys(value).length <= 100 && Object.entries(value).every(([name, text]) => isText(name) && isText(text, longest))
