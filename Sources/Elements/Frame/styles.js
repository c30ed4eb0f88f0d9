// Which styles a page may give a field (docs/reference/browser.md section 2): an allow-list, because a style can send what it reads
// (a URL) or put something over the input.

import { isText } from '../Shared/checks.js'

const PROPERTIES = (
  'background-color border border-bottom border-color border-radius border-style border-width box-shadow caret-color color font-family ' +
  'font-size font-style font-variant-numeric font-weight letter-spacing line-height opacity outline outline-color outline-offset padding ' +
  'padding-bottom padding-left padding-right padding-top text-align text-decoration text-shadow text-transform transition'
).split(' ')

/** The CSS variables that fields read. */
export const VARIABLES = (
  'background border border-radius box-shadow color error-color error-font-size focus-border-color focus-shadow font-family font-size ' +
  'font-weight gap invalid-border-color label-color label-display label-font-size label-font-weight letter-spacing line-height padding ' +
  'placeholder-color'
).split(' ').map((name) => '--cloakroom-' + name)

/**
 * Whether a value can be that of a property: one that the browser knows, and nothing that ends a declaration, is escaped, or names a resource.
 * @param {string} property
 * @param {unknown} value
 * @returns {value is string}
 */
const isValue = (property, value) =>
  isText(value, 400) && !/[;{}<>\\@]|url|image|expression|(var|env|attr)\s*\(/i.test(value) && CSS.supports(property, value)

/**
 * Whether a page may give a declaration.
 * @param {string} property
 * @param {unknown} value
 * @returns {value is string}
 */
export const isDeclaration = (property, value) => PROPERTIES.includes(property) && isValue(property, value)

/**
 * Whether a page may give a variable. Behind what it is for, its name has the property.
 * @param {string} name
 * @param {string} value
 */
export const isVariable = (name, value) =>
  VARIABLES.includes(name) &&
  isValue(name.replace(/^--cloakroom-((error|focus|invalid|label|placeholder)-)?/, '').replace(/^shadow/, 'box-shadow'), value)

/** @param {string} name As in CSS or as in scripts: `font-size`, `fontSize`. */
export const cssName = (name) => name.replace(/[A-Z]/g, (letter) => '-' + letter.toLowerCase())
