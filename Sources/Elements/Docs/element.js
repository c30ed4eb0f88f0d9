/**
 * Makes an element. Text goes in as text: nothing is ever parsed as HTML here, and the page's policy (Trusted Types) holds it to that.
 *
 * @param {string} name
 * @param {Record<string, string>} attributes
 * @param {...(Node | string)} children
 * @returns {HTMLElement}
 */
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name)
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value)
  made.append(...children)
  return made
}

/**
 * The name of a place in the page: letters, digits and hyphens.
 *
 * @param {string} text
 */
export function slug(text) {
  return text.toLowerCase().replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '')
}
