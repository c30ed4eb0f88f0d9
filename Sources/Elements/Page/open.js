import { Form } from './Form.js'
import { CloakroomError } from './CloakroomError.js'
import { defineElements } from './customElements.js'

/**
 * What the scripts define.
 * @param {string} script The address of the script.
 */
export function makeCloakroom(script) {
  const folder = new URL('./', script || location.href)
  /** @param {string} id @param {import('./Form.js').FormOptions} [options] */
  const form = (id, options = {}) => new Form(id, options, folder)
  defineElements(form)
  return Object.freeze({ form, CloakroomError })
}
