// What a page gives as options, checked before it goes to a frame, which says nothing about what it does not take.

import { LONGEST_MESSAGE, LONGEST_TEXT, isOptionalText } from '../Shared/checks.js'

/**
 * @typedef {object} FormOptions
 * @property {string} [gateway]
 * @property {string | (() => string | null | Promise<string>)} [session]
 * @property {string} [locale]
 * @property {Record<string, string | undefined>} [messages]
 */
/** @typedef {FieldOptions & { layout?: 'inline' | 'stacked', number?: any, expiry?: any, cvc?: any }} CardOptions */
/**
 * @typedef {object} FieldOptions
 * @property {string} [label]
 * @property {string} [placeholder]
 * @property {Record<string, Record<string, string>>} [style]
 * @property {boolean} [showBrand]
 * @property {boolean} [disabled]
 * @property {boolean} [autofocus]
 */

/** @param {string} text */
export const warn = (text) => console.warn('Cloakroom: ' + text)

/** @param {string} text What the page has got wrong. */
export const mistaken = (text) => new TypeError('Cloakroom: ' + text)

/** @param {string} name */
export const tooLong = (name) => mistaken(name + ' must be a text of at most ' + LONGEST_TEXT + ' characters')

/**
 * As it would be sent: dates as text, without functions. A function alone has no text: a TypeError.
 * @param {any} value
 */
export const plain = (value) => JSON.parse(JSON.stringify(value).trim())

/** @param {FieldOptions} options */
export const texts = ({ label, placeholder }) => short({ label, placeholder })

/**
 * @template {Record<string, string | undefined>} Options
 * @param {Options} options
 */
export function short(options) {
  for (const [name, text] of Object.entries(options)) {
    if (!isOptionalText(text)) throw tooLong(name)
  }
  return options
}

/**
 * A message that the frame takes. It would not reply to another, as if it were blocked.
 * @param {any} message
 */
export function fitting(message) {
  if (JSON.stringify(message).length > LONGEST_MESSAGE) throw mistaken('options and messages are too long together')
  return message
}

/** @param {any} given @returns {boolean | undefined} */
const flag = (given) => (given === undefined ? given : !!given)

/** @param {FieldOptions} options */
export function look({ style, showBrand, disabled, autofocus }) {
  return {
    // The frame says what of it is not allowed.
    style: style ? plain({ ...style }) : undefined,
    showBrand: flag(showBrand), disabled: flag(disabled), autofocus: flag(autofocus),
  }
}

/** @param {CardOptions} options */
export function cardInit(options) {
  const inputs = ['number', 'expiry', 'cvc'].map((role) => {
    const given = options[/** @type {'number'} */ (role)]
    const part = typeof given === 'string' ? { name: given } : given ?? {}
    return { role, ...short({ name: part.name, value: part.value }), ...texts(part) }
  })
  return { kind: 'card', ...texts(options), layout: options.layout === 'stacked' ? 'stacked' : 'inline', inputs, ...look(options) }
}
