// Which styles a page may give a field (docs/reference/browser.md section 2): an allow-list, because a style can send what it reads
// (a URL) or put something over the input.

/** The states of an input that can be styled. */
export const STATES = ['base', 'focus', 'invalid', 'complete', 'placeholder']

const PROPERTIES = new Set([
  'background-color', 'border', 'border-bottom', 'border-color', 'border-radius', 'border-style', 'border-width', 'box-shadow',
  'caret-color', 'color', 'font-family', 'font-size', 'font-style', 'font-variant-numeric', 'font-weight', 'letter-spacing',
  'line-height', 'opacity', 'outline', 'outline-color', 'outline-offset', 'padding', 'padding-bottom', 'padding-left',
  'padding-right', 'padding-top', 'text-align', 'text-decoration', 'text-shadow', 'text-transform', 'transition',
])

/** The CSS variables that fields read. */
export const VARIABLES = [
  'background', 'border', 'border-radius', 'box-shadow', 'color', 'error-color', 'error-font-size', 'focus-border-color',
  'focus-shadow', 'font-family', 'font-size', 'font-weight', 'gap', 'invalid-border-color', 'label-color', 'label-display',
  'label-font-size', 'label-font-weight', 'letter-spacing', 'line-height', 'padding', 'placeholder-color',
].map((name) => '--cloakroom-' + name)

/**
 * Whether a value can be a style: nothing that ends a declaration, is escaped, or names a resource.
 * @param {unknown} value
 */
export function isStyleValue(value) {
  return typeof value === 'string' && value.length <= 400 && !/[;{}<>\\@]|url|image|expression|var\s*\(|env\s*\(|attr\s*\(/i.test(value)
}

/** @param {string} name As in CSS or as in scripts: `font-size`, `fontSize`. */
export const cssName = (name) => name.replace(/[A-Z]/g, (letter) => '-' + letter.toLowerCase())

/**
 * The allowed part of a `style` option.
 * @param {unknown} style
 * @param {(place: string) => void} ignore Is called with the place of each part that is not allowed.
 * @returns {Record<string, Record<string, string>>}
 */
export function allowedStyle(style, ignore) {
  /** @type {Record<string, Record<string, string>>} */
  const allowed = {}
  if (style === undefined) return allowed
  for (const [state, declarations] of Object.entries(Object(style))) {
    if (!STATES.includes(state)) {
      ignore(state)
      continue
    }
    /** @type {Record<string, string>} */
    const kept = (allowed[state] = {})
    for (const [name, value] of Object.entries(Object(declarations))) {
      const property = cssName(name)
      if (PROPERTIES.has(property) && isStyleValue(value)) kept[property] = value
      else ignore(`${state}.${name}`)
    }
  }
  return allowed
}
