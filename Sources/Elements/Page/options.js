// What a page gives as options, checked before it goes to a frame, which says nothing about what it does not take.

import { LONGEST_TEXT, isOptionalText, isSmall } from '../Shared/checks.js'

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
export const warn = (text) => console.warn(`Cloakroom: ${text}`)

/** @param {FieldOptions} options */
export const texts = ({ label, placeholder }) => short({ label, placeholder })

/**
 * @template {Record<string, string | undefined>} Options
 * @param {Options} options
 */
export function short(options) {
  for (const [name, text] of Object.entries(options)) {
    if (!isOptionalText(text)) throw new TypeError(`Cloakroom: ${name} must be a text of at most ${LONGEST_TEXT} characters`)
  }
  return options
}

/**
 * A message that the frame takes. It would not reply to another, as if it were blocked.
 * @param {any} message
 */
export function fitting(message) {
  if (!isSmall(message)) throw new TypeError('Cloakroom: options and messages are too long together')
  return message
}

/** @param {unknown} given @returns {boolean | undefined} */
const flag = (given) => (given === undefined ? undefined : Boolean(given))

/** @param {FieldOptions} options */
export function look({ style, showBrand, disabled, autofocus }) {
  return {
    // The frame says what of it is not allowed.
    style: style ? JSON.parse(JSON.stringify({ ...style })) : undefined,
    showBrand: flag(showBrand), disabled: flag(disabled), autofocus: flag(autofocus),
  }
}
