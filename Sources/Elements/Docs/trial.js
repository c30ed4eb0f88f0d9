import { element } from './element.js'

/**
 * A form that makes a call and shows the response, and the same call for curl. What is typed stays in this page: it is sent to this
 * gateway and is stored nowhere.
 *
 * @param {string} method
 * @param {string} path
 * @param {Record<string, any>[]} parameters
 * @param {{type: string, value: string} | null} example
 */
export function trial(method, path, parameters, example) {
  /** @type {Map<Record<string, any>, HTMLInputElement>} */
  const inputs = new Map()
  const rows = parameters.map((parameter) => {
    const input = /** @type {HTMLInputElement} */ (element('input', { autocomplete: 'off', spellcheck: 'false' }))
    if (parameter.required) input.required = true
    inputs.set(parameter, input)
    return element('label', {}, `${parameter.name} (${parameter.in})`, input)
  })
  const secret = /** @type {HTMLInputElement} */ (element('input', { type: 'password', autocomplete: 'off' }))
  rows.push(element('label', {}, 'Authorization: Bearer', secret))
  const body = example ? /** @type {HTMLTextAreaElement} */ (element('textarea', { spellcheck: 'false' })) : null
  if (body && example) {
    body.value = example.value
    rows.push(element('label', {}, `Body (${example.type})`, body))
  }
  const output = element('pre', { tabindex: '0', 'aria-live': 'polite', hidden: '' })
  const form = element('form', {}, ...rows, element('button', {}, `Send ${method.toUpperCase()}`))
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    // What is left empty is not sent.
    const call = describe(method, path, inputs, secret.value, example?.type, body?.value || undefined)
    output.hidden = false
    output.textContent = `${curl(call)}\n\n…`
    output.textContent = `${curl(call)}\n\n${await perform(call)}`
  })
  return element('details', { class: 'trial' }, element('summary', {}, 'Try it'), form, output)
}

/** @typedef {{method: string, url: string, headers: Record<string, string>, body?: string}} Request */

/**
 * @param {string} method
 * @param {string} path
 * @param {Map<Record<string, any>, HTMLInputElement>} inputs
 * @param {string} secret
 * @param {string | undefined} type
 * @param {string | undefined} body
 * @returns {Request}
 */
function describe(method, path, inputs, secret, type, body) {
  const url = new URL(path, location.origin)
  /** @type {Record<string, string>} */
  const headers = {}
  let target = path
  for (const [parameter, { value }] of inputs) {
    if (value === '') continue
    // A path that goes on, as that of a send, keeps its slashes.
    if (parameter.in === 'path') target = target.replace(`{${parameter.name}}`, value.split('/').map(encodeURIComponent).join('/'))
    if (parameter.in === 'query') url.searchParams.append(parameter.name, value)
    if (parameter.in === 'header') headers[parameter.name] = value
  }
  url.pathname = target
  if (secret) headers.Authorization = `Bearer ${secret}`
  if (type && body !== undefined) headers['Content-Type'] = type
  return { method: method.toUpperCase(), url: url.href, headers, body }
}

/**
 * The call for a shell. The secret is left out: it belongs into a variable. With a body curl would make a POST, if no method is named.
 *
 * @param {Request} call
 */
function curl(call) {
  /** @param {string} text */
  const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`
  const parts = ['curl', ...(call.method === 'GET' && call.body === undefined ? [] : ['-X', call.method]), quoted(call.url)]
  for (const [name, value] of Object.entries(call.headers)) {
    parts.push('-H', name === 'Authorization' ? '"Authorization: Bearer $SECRET"' : quoted(`${name}: ${value}`))
  }
  if (call.body !== undefined) parts.push('-d', quoted(call.body))
  return parts.join(' ')
}

/**
 * @param {Request} call
 * @returns {Promise<string>} status, headers and body, or why there is no response
 */
async function perform(call) {
  if (call.method === 'GET' && call.body !== undefined) return 'Browsers send no body with GET: make this call with curl.'
  try {
    const response = await fetch(call.url, { method: call.method, headers: call.headers, body: call.body, credentials: 'omit', cache: 'no-store' })
    const head = [...response.headers].map(([name, value]) => `${name}: ${value}`).join('\n')
    const text = await response.text()
    return `${response.status} ${response.statusText}\n${head}\n\n${readable(text)}`
  } catch (error) {
    return `There is no response: ${error instanceof Error ? error.message : 'unknown'}`
  }
}

/** @param {string} text */
function readable(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
