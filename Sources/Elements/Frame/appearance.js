import { allowedStyle } from '../Shared/styles.js'

const SELECTORS = {
  base: 'input', placeholder: 'input::placeholder', complete: 'input[data-complete]', invalid: 'input[aria-invalid=true]',
  focus: 'input:focus',
}

/** @type {CSSStyleSheet | undefined} */
let sheet

/**
 * Styles the inputs. Declarations are set one by one, so no text is read as a rule.
 * @param {Record<string, Record<string, string>>} style
 */
export function applyStyle(style) {
  if (!sheet) document.adoptedStyleSheets = [(sheet = new CSSStyleSheet())]
  while (sheet.cssRules.length) sheet.deleteRule(0)
  const allowed = allowedStyle(style, () => {})
  for (const [state, selector] of Object.entries(SELECTORS)) {
    const rule = /** @type {CSSStyleRule} */ (sheet.cssRules[sheet.insertRule(selector + '{}', sheet.cssRules.length)])
    for (const [property, value] of Object.entries(allowed[state] ?? {})) rule.style.setProperty(property, value)
  }
}

/** @param {import('./incoming.js').Init} init */
export function applySurroundings({ variables, colorScheme }) {
  const { style } = document.documentElement
  for (const [name, value] of Object.entries(variables)) style.setProperty(name, value)
  style.colorScheme = colorScheme === 'normal' ? 'light' : colorScheme
}
