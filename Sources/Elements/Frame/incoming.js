// Reads what a page sends. A message that is odd in any way is no message.

import { isLocale, isOptionalFlag, isOptionalText, isRecord, isText, isTextMap } from '../Shared/checks.js'
import { VARIABLES, allowedStyle, isStyleValue } from '../Shared/styles.js'

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
 * @property {Record<string, Record<string, string>>} [style]
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
 */
/** @typedef {FirstMessage & Look} Init */

const SIZE_LIMIT = 16_384

/** @param {unknown} data @returns {data is Record<string, any>} */
function isSmall(data) {
  try {
    return isRecord(data) && JSON.stringify(data).length <= SIZE_LIMIT
  } catch {
    return false
  }
}

/** @param {unknown} input @returns {input is InputOptions} */
const isInput = (input) =>
  isRecord(input) && isOptionalText(input.role) && isOptionalText(input.name) && isOptionalText(input.label) && isOptionalText(input.placeholder) &&
  isOptionalText(input.value)

/** @param {Record<string, any>} data @returns {Look | undefined} */
function readLook({ style, showBrand, disabled, autofocus }) {
  if (style !== undefined && !isRecord(style)) return
  if (![showBrand, disabled, autofocus].every(isOptionalFlag)) return
  return { style: style && allowedStyle(style, () => {}), showBrand, disabled, autofocus }
}

/** @param {unknown} data @returns {Init | undefined} */
export function readInit(data) {
  if (!isSmall(data) || data.cloakroom !== 'init') return
  const { kind, instance, locale, direction, colorScheme, messages, variables, layout, inputs = [] } = data
  const look = readLook(data)
  if (!look || !['controller', 'field', 'card'].includes(kind) || !isText(instance, 64)) return
  if (!isLocale(locale) || !['ltr', 'rtl'].includes(direction) || !isText(colorScheme, 40)) return
  if (!isTextMap(messages) || !isTextMap(variables) || !isOptionalText(layout)) return
  if (!Array.isArray(inputs) || !inputs.every(isInput) || inputs.length !== { controller: 0, field: 1, card: 3 }[/** @type {'card'} */ (kind)]) return
  const allowed = Object.entries(variables).filter(([name, value]) => VARIABLES.includes(name) && isStyleValue(value))
  return { kind, instance, locale, direction, colorScheme, messages, variables: Object.fromEntries(allowed), layout, inputs, ...look }
}

/**
 * The instance that a frame wants to join.
 * @param {unknown} data
 * @param {string} form
 */
export function readJoin(data, form) {
  return isRecord(data) && data.cloakroom === 'join' && data.form === form && isText(data.instance, 64) ? data.instance : undefined
}

/** @param {unknown} data @returns {(Look & InputOptions) | undefined} */
export function readUpdate(data) {
  if (!isSmall(data) || !isInput(data)) return
  const look = readLook(data)
  return look && { ...look, name: data.name, label: data.label, placeholder: data.placeholder }
}
