import { isRecord } from '../Shared/checks.js'

/** How long the gateway may take, in milliseconds: longer than its own limit for a request to an upstream, by default a minute. */
const LIMIT = 65_000

/**
 * How long after a request a refusal shows that nothing was done, in milliseconds. A browser sends a request again by itself when its connection
 * breaks: the first may have been carried out, and the session may have ended before the second. In so short a time hardly both happen.
 */
const SOON = 1_000

/**
 * Makes one request with what was typed.
 * @param {string} form
 * @param {import('./calls.js').Call} call
 * @param {Record<string, string>} fields
 * @param {string} pageOrigin
 * @param {string | null} [version] Of the description by which it was typed.
 * @returns {Promise<{ value: any } | { error: Record<string, any>, isUndone?: boolean }>}
 */
export async function request(form, call, fields, pageOrigin, version) {
  const base = `/v1/forms/${encodeURIComponent(form)}/${call.call}`
  const isSend = call.call === 'send'
  const url = new URL(isSend ? `${base}/${call.path?.replace(/^\//, '')}` : base, location.origin)
  if (url.origin !== location.origin || !url.pathname.startsWith(base)) {
    return { error: { type: 'malformedRequest', title: 'The path leaves the form' } }
  }
  const signal = /** @type {any} */ (AbortSignal).timeout(LIMIT)
  // Not `performance.now()`, which stands still in some browsers while the machine sleeps.
  const start = Date.now()
  let response
  let text
  try {
    const headers = new Headers(call.headers)
    headers.set('Content-Type', 'application/json')
    // The origin that sessions may be bound to (docs/reference/access.md section 2): the request's own is the gateway's.
    headers.set('Cloakroom-Page-Origin', pageOrigin)
    if (version) headers.set('Cloakroom-Form-Version', version)
    if (call.session) headers.set('Authorization', 'Bearer ' + call.session)
    // A browser sends a request again by itself when its connection breaks, and says nothing: under a key it is carried out once. Only
    // pages that are no secure contexts, which take no cards, cannot make one.
    const key = call.idempotencyKey ?? (isSend && !headers.has('Idempotency-Key') && crypto.randomUUID?.())
    if (key) headers.set('Idempotency-Key', key)
    response = await fetch(url, {
      method: call.method ?? 'POST', headers, body: JSON.stringify({ fields, extraData: call.extraData }), credentials: 'omit', cache: 'no-store', redirect: 'manual', signal,
    })
    text = await response.text()
  } catch {
    // The browser's own text may repeat what the page has given. The gateway may have got the request.
    return { error: { type: signal.aborted ? 'timeout' : 'network', title: 'No response: it may have been done' } }
  }
  const json = parse(response, text)
  // Of an upstream, whatever it is; without one, the gateway's JSON. Anything else is of something between, as a page to log in.
  if (isSend && (response.headers.has('Cloakroom-Upstream-Status') || (response.ok && json !== undefined))) {
    return { value: { status: response.status, headers: Object.fromEntries(response.headers), body: json === undefined ? text : json } }
  }
  if (response.ok && isRecord(json)) return { value: json }
  const error = problem(response, json)
  // 1300: the gateway does not know who it is of.
  return { error, isUndone: error.code === 1300 && Date.now() - start < SOON }
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
