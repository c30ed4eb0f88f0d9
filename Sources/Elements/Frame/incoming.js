// Reads what a page sends. A message that is odd in any way is no message.

import { isOptionalFlag, isOptionalText, isRecord, isText, isTextMap } from '../Shared/checks.js'
import { VARIABLES, allowedStyle, isStyleValue } from '../Shared/styles.js'

/**
 * @typedef {object} InputOptions
 * @property {string} [role]
 * @property {string} [name]
 * @property {string} [label]
 * @property {string} [placeholder]
 */
/**
 * @typedef {object} Look
 * @property {Record<string, Record<string, string>>} style
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
/** @typedef {{ type: 'call', id: number, call: string, session?: string, path?: string, method?: string, extraData?: object, headers?: Record<string, string>, idempotencyKey?: string }} Call */

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
  isRecord(input) && isOptionalText(input.role) && isOptionalText(input.name) && isOptionalText(input.label) && isOptionalText(input.placeholder)

/** @param {Record<string, any>} data @returns {Look | undefined} */
function readLook({ style, showBrand, disabled, autofocus }) {
  if (style !== undefined && !isRecord(style)) return
  if (![showBrand, disabled, autofocus].every(isOptionalFlag)) return
  return { style: allowedStyle(style, () => {}), showBrand, disabled, autofocus }
}

/** @param {unknown} data @returns {Init | undefined} */
export function readInit(data) {
  if (!isSmall(data) || data.cloakroom !== 'init') return
  const { kind, instance, locale, direction, colorScheme, messages, variables, layout, inputs = [] } = data
  const look = readLook(data)
  if (!look || !['controller', 'field', 'card'].includes(kind) || !isText(instance, 64)) return
  if (!isText(locale) || !/^[\w-]{1,35}$/.test(locale) || !['ltr', 'rtl'].includes(direction) || !isText(colorScheme, 40)) return
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

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

/** @param {unknown} data @returns {Call | undefined} */
export function readCall(data) {
  if (!isRecord(data) || !Number.isSafeInteger(data.id)) return
  const { call, session, path, method, extraData, headers, idempotencyKey } = data
  if (!['validate', 'aliases', 'tokens', 'send'].includes(/** @type {string} */ (call))) return
  if (session !== undefined && !isText(session, 8_192)) return
  if (!isOptionalText(idempotencyKey) || (extraData !== undefined && !isRecord(extraData)) || (headers !== undefined && !isTextMap(headers))) return
  if (call === 'send' && (!isText(path, 2_048) || !METHODS.includes(/** @type {string} */ (method)))) return
  return /** @type {Call} */ (/** @type {unknown} */ (data))
}
