import { element, slug } from './element.js'
import { trial } from './trial.js'

/** @typedef {Record<string, any>} Description an OpenAPI document, or a part of one */

const METHODS = ['get', 'post', 'put', 'patch', 'delete']

/**
 * A section for each call of the OpenAPI document, by tag.
 *
 * @param {Description} api
 * @returns {{group: string, title: string, id: string, section: HTMLElement}[]}
 */
export function callSections(api) {
  const found = []
  for (const [path, item] of Object.entries(api.paths)) {
    for (const method of METHODS.filter((name) => item[name])) {
      const operation = item[method]
      const title = `${method.toUpperCase()} ${path}`
      const id = `call-${slug(title)}`
      const parameters = [...(item.parameters ?? []), ...(operation.parameters ?? [])].map((parameter) => resolve(api, parameter))
      const section = element('section', { id }, element('h2', {}, element('span', { class: 'method' }, method.toUpperCase()), ' ', element('span', { class: 'path' }, path)), element('p', {}, operation.summary ?? ''))
      if (operation.description) section.append(element('p', {}, operation.description))
      section.append(...parameterTable(parameters), ...requestBody(api, operation), responseTable(api, operation))
      // The admin listener is another origin.
      if (!item.servers) section.append(trial(method, path, parameters, example(api, operation)))
      found.push({ group: operation.tags?.[0] ?? 'calls', title, id, section })
    }
  }
  return found
}

/**
 * What a `$ref` refers to.
 *
 * @param {Description} api
 * @param {Description} part
 * @returns {Description}
 */
export function resolve(api, part) {
  if (!part?.$ref) return part
  const names = part.$ref.slice(2).split('/').map((/** @type {string} */ name) => name.replaceAll('~1', '/').replaceAll('~0', '~'))
  return names.reduce((/** @type {Description} */ found, /** @type {string} */ name) => found?.[name], api) ?? {}
}

/** @param {Description[]} parameters */
function parameterTable(parameters) {
  if (parameters.length === 0) return []
  const rows = parameters.map((parameter) => element('tr', {}, element('td', {}, element('code', {}, parameter.name)), element('td', {}, parameter.in), element('td', {}, parameter.required ? 'yes' : 'no'), element('td', {}, parameter.description ?? '')))
  return [element('h3', {}, 'Parameters'), grid(['name', 'in', 'required', 'what it is'], rows)]
}

/**
 * @param {Description} api
 * @param {Description} operation
 */
function requestBody(api, operation) {
  const body = resolve(api, operation.requestBody)
  if (!body) return []
  /** @type {(Node | string)[]} */
  const parts = [element('h3', {}, 'Request')]
  for (const [type, media] of Object.entries(body.content ?? {})) {
    parts.push(element('p', {}, element('code', {}, type)))
    if (media.example) parts.push(details('Example', exampleText(type, media.example)))
    if (media.schema) parts.push(details('Schema', json(expand(api, media.schema))))
  }
  return parts
}

/**
 * @param {Description} api
 * @param {Description} operation
 */
function responseTable(api, operation) {
  const rows = Object.entries(operation.responses ?? {}).map(([status, reference]) => {
    const response = resolve(api, reference)
    const content = Object.entries(response.content ?? {}).map(([type, media]) => details(type, json(exampleOf(media) ?? expand(api, media.schema))))
    return element('tr', {}, element('td', {}, status), element('td', {}, response.description ?? ''), element('td', {}, ...content))
  })
  return element('div', {}, element('h3', {}, 'Responses'), grid(['status', 'when', 'body'], rows))
}

/**
 * @param {string[]} names
 * @param {HTMLElement[]} rows
 */
function grid(names, rows) {
  const head = element('tr', {}, ...names.map((name) => element('th', { scope: 'col' }, name)))
  return element('table', { tabindex: '0' }, element('thead', {}, head), element('tbody', {}, ...rows))
}

/**
 * @param {string} title
 * @param {string} text
 */
function details(title, text) {
  return element('details', {}, element('summary', {}, title), element('pre', { tabindex: '0' }, text))
}

/** @param {unknown} value */
function json(value) {
  return JSON.stringify(value, null, 2) ?? ''
}

/** @param {Description} media */
function exampleOf(media) {
  return media?.example ?? Object.values(media?.examples ?? {})[0]?.value
}

/**
 * @param {Description} api
 * @param {Description} operation
 */
function example(api, operation) {
  const content = resolve(api, operation.requestBody)?.content ?? {}
  const [type] = Object.keys(content)
  return type ? { type, value: exampleText(type, exampleOf(content[type]) ?? {}) } : null
}

/**
 * A body as it is sent.
 *
 * @param {string} type
 * @param {any} value
 */
function exampleText(type, value) {
  return type === 'application/x-www-form-urlencoded' ? new URLSearchParams(value).toString() : json(value)
}

/**
 * A schema with what it refers to in its place, a few levels deep.
 *
 * @param {Description} api
 * @param {any} schema
 * @param {number} depth
 * @returns {unknown}
 */
function expand(api, schema, depth = 0) {
  if (Array.isArray(schema)) return schema.map((part) => expand(api, part, depth))
  if (schema === null || typeof schema !== 'object') return schema
  if (schema.$ref) return depth < 6 ? expand(api, resolve(api, schema), depth + 1) : schema
  return Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, expand(api, value, depth)]))
}
