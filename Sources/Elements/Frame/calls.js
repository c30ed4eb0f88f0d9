// The calls of a page, checked by the frame, which trusts no page.

import { isRecord, isText, isTextMap } from '../Shared/checks.js'

/** @typedef {{ type: 'call', id: number, call: string, deadline: number, fields?: string[], session?: string, path?: string, method?: string, extraData?: object, headers?: Record<string, string>, idempotencyKey?: string }} Call */

/** Longest message, in UTF-16 code units of its JSON text: the gateway takes no larger body by default. */
const LONGEST_CALL = 1_048_576

/** Longest value of a header that the page gives. */
const LONGEST_HEADER = 4_096

/** Browsers send no body with GET, and what was typed goes in one. */
const METHODS = ['POST', 'PUT', 'PATCH', 'DELETE']

/**
 * Whether a header can hold a value (RFC 9110 section 5.5).
 * @param {unknown} value
 * @param {number} [longest]
 */
const isHeader = (value, longest) => value === undefined || (isText(value, longest) && /^[\t -~\x80-\xff]*$/.test(value))

/**
 * The part of a call that no call has; empty if there is none.
 * @param {unknown} data
 */
export function oddPart(data) {
  if (!isRecord(data) || !Number.isSafeInteger(data.id)) return 'call'
  const { call, session, path, method, extraData, headers, idempotencyKey } = data
  if (!['validate', 'aliases', 'tokens', 'send'].includes(/** @type {string} */ (call))) return 'call'
  if (!isHeader(session, 16_384)) return 'session'
  if (idempotencyKey === '' || !isHeader(idempotencyKey)) return 'idempotencyKey'
  if (headers !== undefined && !isTextMap(headers, LONGEST_HEADER)) return 'headers'
  if (call === 'send' && !isText(path, 2_048)) return 'path'
  if (call === 'send' && !METHODS.includes(/** @type {string} */ (method))) return 'method'
  try {
    new Headers(/** @type {any} */ (headers))
  } catch {
    return 'headers'
  }
  try {
    if ((extraData === undefined || isRecord(extraData)) && JSON.stringify(data).length <= LONGEST_CALL) return ''
  } catch {
    // As one that holds itself.
  }
  return 'extraData'
}
