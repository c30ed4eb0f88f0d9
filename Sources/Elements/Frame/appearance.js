import { VARIABLES, allowedStyle, isStyleValue } from './styles.js'

const SELECTORS = {
  base: '', placeholder: '::placeholder', complete: '[data-complete]', invalid: '[aria-invalid=true]', focus: ':focus',
}

/**
 * By what they style.
 * @type {Map<string, CSSStyleSheet>}
 */
const sheets = new Map()

/**
 * Styles the inputs. Declarations are set one by one, so no text is read as a rule.
 * @param {Record<string, unknown>} style
 * @param {string} input The id of the one that it is for; empty for all.
 * @param {(place: string) => void} ignore Is called with the place of what is not allowed.
 */
export function applyStyle(style, input, ignore) {
  const sheet = sheets.get(input) ?? new CSSStyleSheet()
  if (!sheets.has(input)) document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet]
  sheets.set(input, sheet)
  sheet.replaceSync('')
  const allowed = allowedStyle(style, ignore)
  for (const [state, suffix] of Object.entries(SELECTORS)) {
    // `:where` weighs nothing: what all inputs look like while invalid stays above what one looks like.
    const selector = `input${input && `:where(#${input})`}${suffix}`
    const rule = /** @type {CSSStyleRule} */ (sheet.cssRules[sheet.insertRule(selector + '{}', sheet.cssRules.length)])
    for (const [property, value] of Object.entries(allowed[state] ?? {})) rule.style.setProperty(property, value)
  }
}

/** @param {import('./incoming.js').Init} init @param {(place: string) => void} ignore */
export function applySurroundings({ variables, colorScheme }, ignore) {
  const { style } = document.documentElement
  for (const [name, value] of Object.entries(variables)) {
    if (VARIABLES.includes(name) && isStyleValue(value)) style.setProperty(name, value)
    else ignore(name)
  }
  style.colorScheme = colorScheme === 'normal' ? 'light' : colorScheme
}
