// The calls of a page, checked by the page's script, so that it can say what is wrong, and by the frame, which trusts no page.

import { isOptionalText, isRecord, isText, isTextMap } from './checks.js'

/** @typedef {{ type: 'call', id: number, call: string, session?: string, path?: string, method?: string, extraData?: object, headers?: Record<string, string>, idempotencyKey?: string }} Call */

/** Longest message, in UTF-16 code units of its JSON text: the gateway takes no larger body by default. */
const LONGEST_CALL = 1_048_576

/** Longest value of a header that the page gives. */
const LONGEST_HEADER = 4_096

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

/** @param {unknown} data @returns {Call | undefined} */
export function readCall(data) {
  if (!isRecord(data) || !Number.isSafeInteger(data.id)) return
  const { call, session, path, method, extraData, headers, idempotencyKey } = data
  if (!['validate', 'aliases', 'tokens', 'send'].includes(/** @type {string} */ (call))) return
  if (session !== undefined && !isText(session, 8_192)) return
  if (!isOptionalText(idempotencyKey) || (extraData !== undefined && !isRecord(extraData)) || (headers !== undefined && !isTextMap(headers, LONGEST_HEADER))) return
  if (call === 'send' && (!isText(path, 2_048) || !METHODS.includes(/** @type {string} */ (method)))) return
  try {
    if (headers) new Headers(/** @type {any} */ (headers))
    if (JSON.stringify(data).length > LONGEST_CALL) return
  } catch {
    return
  }
  return /** @type {Call} */ (/** @type {unknown} */ (data))
}
