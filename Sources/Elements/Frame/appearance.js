import { cssName, isDeclaration, isVariable } from './styles.js'

/** What is styled in each state of an input that can be; what comes later counts more. */
const SELECTORS = {
  base: '', placeholder: '::placeholder', complete: '[data-complete]', invalid: '[aria-invalid=true]', focus: ':focus',
}

/**
 * By what they style.
 * @type {Record<string, CSSStyleSheet>}
 */
const sheets = {}

/**
 * Styles the inputs. Declarations are set one by one, so no text is read as a rule.
 * @param {Record<string, any>} style
 * @param {string} input The id of the one that it is for; empty for all.
 * @param {(place: string) => void} ignore Is called with the place of what is not allowed.
 */
export function applyStyle(style, input, ignore) {
  let sheet = sheets[input]
  if (!sheet) {
    sheet = sheets[input] = new CSSStyleSheet()
    document.adoptedStyleSheets.push(sheet)
  }
  sheet.replaceSync('')
  for (const state in style) if (!Object.hasOwn(SELECTORS, state)) ignore(state)
  for (const [state, suffix] of Object.entries(SELECTORS)) {
    // `:where` weighs nothing: what all inputs look like while invalid stays above what one looks like.
    let selector = `input${input && `:where(#${input})`}${suffix}`
    // What stays in sight of a card number looks like the number.
    if (state !== 'placeholder') selector += `,.last4:has(+${selector})`
    const rule = /** @type {CSSStyleRule} */ (sheet.cssRules[sheet.insertRule(selector + '{}', sheet.cssRules.length)])
    for (const [name, value] of Object.entries(Object(style[state]))) {
      const property = cssName(name)
      if (isDeclaration(property, value)) rule.style.setProperty(property, value)
      else ignore(`${state}.${name}`)
    }
  }
}

/** @param {import('./incoming.js').Init} init @param {(place: string) => void} ignore */
export function applySurroundings({ variables, colorScheme }, ignore) {
  const { style } = document.documentElement
  for (const [name, value] of Object.entries(variables)) {
    if (isVariable(name, value)) style.setProperty(name, value)
    else ignore(name)
  }
  style.colorScheme = colorScheme === 'normal' ? 'light' : colorScheme
}
