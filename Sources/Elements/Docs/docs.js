// The page of GET /docs: the calls of this gateway, from its OpenAPI document, and the reference pages. Nothing comes from elsewhere.
import access from '../../../docs/reference/access.md'
import configuration from '../../../docs/reference/configuration.md'
import errors from '../../../docs/reference/errors.md'
import headers from '../../../docs/reference/headers.md'
import logs from '../../../docs/reference/logs.md'
import metrics from '../../../docs/reference/metrics.md'
import scopes from '../../../docs/reference/scopes.md'
import browserContract from '../../../docs/reference/browser.md'
import elements from '../../../docs/reference/elements.md'
import fields from '../../../docs/reference/fields.md'
import proxy from '../../../docs/reference/proxy.md'
import vaultAPI from '../../../docs/reference/vault-api.md'
import architecture from '../../../docs/architecture.md'
import browser from '../../../docs/browser.md'
import forms from '../../../docs/forms.md'
import migrating from '../../../docs/migrating-from-vgs.md'
import pci from '../../../docs/pci.md'
import security from '../../../docs/security.md'
import { callSections } from './calls.js'
import { element } from './element.js'
import { sections } from './markdown.js'
import { search } from './search.js'

/** @type {[string, string][]} */
const guides = [['forms', forms], ['browser', browser], ['migrating-from-vgs', migrating], ['security', security], ['pci', pci], ['architecture', architecture]]
/** @type {[string, string][]} */
const references = [['errors', errors], ['configuration', configuration], ['scopes', scopes], ['headers', headers], ['metrics', metrics], ['logs', logs], ['access', access], ['browser', browserContract], ['elements', elements], ['fields', fields], ['proxy', proxy], ['vault-api', vaultAPI]]

const content = /** @type {HTMLElement} */ (document.getElementById('content'))
const contents = /** @type {HTMLElement} */ (document.getElementById('contents'))

/** @typedef {{title: string, id: string, section: HTMLElement}} Section */

/**
 * @param {string} title
 * @param {Section[]} found
 * @param {(found: Section, index: number) => boolean} isListed
 */
function add(title, found, isListed = () => true) {
  const items = found.filter(isListed).map(({ title, id }) => element('li', {}, element('a', { href: `#${id}` }, title)))
  contents.append(element('h2', {}, title), element('ul', {}, ...items))
  content.append(...found.map(({ section }) => section))
}

/** @param {[string, string][]} pages @param {string} prefix */
function pageSections(pages, prefix) {
  return pages.flatMap(([name, text]) => sections(text, `${prefix}${name}`))
}

async function show() {
  const response = await fetch('/openapi.json', { credentials: 'omit' })
  const api = await response.json()
  document.getElementById('version')?.append(api.info.version)
  content.replaceChildren()
  const calls = callSections(api)
  for (const group of new Set(calls.map((call) => call.group))) add(`Calls: ${group}`, calls.filter((call) => call.group === group))
  add('Guides', pageSections(guides, ''))
  add('Reference', pageSections(references, 'reference-'))
  const input = /** @type {HTMLInputElement} */ (document.getElementById('search'))
  search(input, content, contents, /** @type {HTMLElement} */ (document.getElementById('found')))
  document.getElementById(location.hash.slice(1))?.scrollIntoView()
}

show().catch(() => {
  content.replaceChildren(element('p', { role: 'alert' }, 'The description of this gateway could not be read.'))
})
