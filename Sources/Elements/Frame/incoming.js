// Reads what a page sends. A message that is odd in any way is no message.

import { isLocale, isOptionalFlag, isOptionalText, isRecord, isSmall, isText, isTextMap } from '../Shared/checks.js'

/**
 * @typedef {object} InputOptions
 * @property {string} [role]
 * @property {string} [name]
 * @property {string} [label]
 * @property {string} [placeholder]
 * @property {string} [value]
 */
/**
 * @typedef {object} Look
 * @property {Record<string, unknown>} [style]
 * @property {boolean} [showBrand]
 * @property {boolean} [disabled]
 * @property {boolean} [autofocus]
 */
/**
 * @typedef {object} FirstMessage
 * @property {string} kind
 * @property {string} instance
 * @property {string} locale
 * @property {string} direction
 * @property {string} colorScheme
 * @property {Record<string, string>} messages
 * @property {Record<string, string>} variables
 * @property {InputOptions[]} inputs
 * @property {string} [layout]
 * @property {string} [label] Of a card.
 */
/** @typedef {FirstMessage & Look} Init */

/** @param {unknown} input @returns {input is InputOptions} */
const isInput = (input) =>
  isRecord(input) && [input.role, input.name, input.label, input.placeholder, input.value].every(isOptionalText)

/** @param {Record<string, any>} data */
const isLook = ({ style, showBrand, disabled, autofocus }) =>
  (style === undefined || isRecord(style)) && [showBrand, disabled, autofocus].every(isOptionalFlag)

/** @param {unknown} data @returns {Init | undefined} */
export function readInit(data) {
  // The page knows the length of the rest before it knows the variables, which have limits of their own.
  if (!isRecord(data) || data.cloakroom !== 'init' || !isSmall({ ...data, variables: [] })) return
  const { kind, instance, locale, direction, colorScheme, messages, variables, layout, label, inputs = [] } = /** @type {Record<string, any>} */ (data)
  if (!isLook(data) || !isText(kind) || !isText(instance, 64)) return
  if (!isLocale(locale) || !['ltr', 'rtl'].includes(direction) || !isText(colorScheme, 40)) return
  if (!isTextMap(messages) || !isTextMap(variables) || ![layout, label].every(isOptionalText)) return
  if (!Array.isArray(inputs) || !inputs.every(isInput) || inputs.length !== { controller: 0, field: 1, card: 3 }[/** @type {'card'} */ (kind)]) return
  return { .../** @type {any} */ (data), inputs }
}

/**
 * The instance that a frame wants to join.
 * @param {unknown} data
 * @param {string} form
 */
export function readJoin(data, form) {
  return isRecord(data) && data.cloakroom === 'join' && data.form === form && isText(data.instance, 64) ? data.instance : undefined
}

/** @param {unknown} data @returns {data is Look & InputOptions} */
export const isUpdate = (data) => isSmall(data) && isInput(data) && isLook(data)
