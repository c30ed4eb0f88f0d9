import { isRecord } from '../Shared/checks.js'

/** How long the gateway may take, in milliseconds: longer than its own limit for a request to an upstream, by default a minute. */
const LIMIT = 65_000

/**
 * Makes one request with what was typed.
 * @param {string} form
 * @param {import('./calls.js').Call} call
 * @param {Record<string, string>} fields
 * @param {string} pageOrigin
 * @param {string | null} [version] Of the description by which it was typed.
 * @returns {Promise<{ value: any } | { error: Record<string, any> }>}
 */
export async function request(form, call, fields, pageOrigin, version) {
  const base = `/v1/forms/${encodeURIComponent(form)}/${call.call}`
  const isSend = call.call === 'send'
  const url = new URL(isSend ? `${base}/${(call.path ?? '').replace(/^\//, '')}` : base, location.origin)
  if (url.origin !== location.origin || !url.pathname.startsWith(base)) {
    return { error: { type: 'malformedRequest', title: 'The path leaves the form' } }
  }
  const signal = /** @type {any} */ (AbortSignal).timeout(LIMIT)
  let response
  let text
  try {
    const headers = new Headers(call.headers)
    headers.set('Content-Type', 'application/json')
    // The origin that sessions may be bound to (docs/reference/access.md section 2): the request's own is the gateway's.
    headers.set('Cloakroom-Page-Origin', pageOrigin)
    if (version) headers.set('Cloakroom-Form-Version', version)
    if (call.session) headers.set('Authorization', 'Bearer ' + call.session)
    if (call.idempotencyKey) headers.set('Idempotency-Key', call.idempotencyKey)
    response = await fetch(url, {
      method: call.method ?? 'POST', headers, body: JSON.stringify({ fields, extraData: call.extraData }), credentials: 'omit', cache: 'no-store', redirect: 'manual', referrerPolicy: 'no-referrer',
      signal,
    })
    text = await response.text()
  } catch {
    // The browser's own text may repeat what the page has given.
    return { error: signal.aborted ? { type: 'timeout', title: 'No response in time' } : { type: 'network', title: 'The gateway cannot be reached' } }
  }
  const json = parse(response, text)
  // Of an upstream, whatever it is; without one, the gateway's JSON. Anything else is of something between, as a page to log in.
  const isUpstreams = response.headers.has('Cloakroom-Upstream-Status')
  if (isSend && (isUpstreams || (response.ok && json !== undefined))) {
    return { value: { status: response.status, headers: Object.fromEntries(response.headers), body: json === undefined ? text : json } }
  }
  if (response.ok && isRecord(json)) return { value: json }
  return { error: problem(response, json) }
}

/** @param {Response} response @param {string} text */
function parse(response, text) {
  if (!/[/+]json\b/.test(response.headers.get('Content-Type') ?? '')) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/**
 * Of a redirect, which may be the upstream's, a script gets neither status nor headers: status 0.
 * @param {Response} response
 * @param {any} body
 */
function problem(response, body) {
  const { error, title, detail, requestId, fields } = body ?? {}
  return {
    status: response.status || undefined, type: error?.type ?? 'unexpectedResponse', title: title ?? 'No response of the gateway', detail,
    requestId: requestId ?? response.headers.get('X-Request-Id') ?? undefined, code: error?.code,
    reason: error?.userInfo?.extraInfo?.reason, fields,
  }
}
