// One frame of a form: its controller, which holds what was typed, or one with a field or a card. The page that embeds it says which
// in its first message, and hands over a port; nothing else it sends is read.

import { languageShown } from './messages.js'
import { ASK } from '../Shared/checks.js'
import { VARIABLES } from './styles.js'
import { readInit, readJoin } from './incoming.js'
import { CardFrame } from './CardFrame.js'
import { Controller, requestForm } from './Controller.js'
import { FieldFrame } from './FieldFrame.js'
import { Peer } from './Peer.js'

/** @type {Controller | undefined} */
let controller
let isPinned = false
const query = new URLSearchParams(location.search)
const form = query.get('form') ?? ''
// The page says so in the address, too: then the form and its rules are asked for before its first message is there.
const requested = query.has('controller') ? requestForm(form) : undefined

addEventListener('message', (event) => {
  if (event.source === parent && parent !== window) begin(event)
  else if (event.origin === location.origin) join(event)
})
// "null" where the page's policy on referrers hides its origin from its frames, as the HTML standard wants it: no origin, as in browsers
// without this list. The first message tells the page's.
const listed = location.ancestorOrigins?.[0]
const ancestor = listed === 'null' ? undefined : listed
// Holds nothing of this form: any page that may embed this frame may know that its script runs.
if (parent !== window) parent.postMessage({ cloakroom: ASK, variables: VARIABLES }, ancestor ?? '*')

/**
 * The first message of the page pins its origin; later ones come over the port.
 * @param {MessageEvent} event
 */
function begin(event) {
  if (isPinned || event.origin === 'null' || (ancestor !== undefined && ancestor !== event.origin)) return
  const init = readInit(event.data)
  const [port, other] = event.ports
  if (!init || !port || other) return
  isPinned = true
  document.documentElement.lang = languageShown(init)
  document.documentElement.dir = init.direction
  if (init.kind === 'controller') {
    controller = new Controller(form, init.instance, port, event.origin, requested)
    // For frames of this origin, to which the page does not belong; none but this one's fields know their numbers.
    Object.defineProperty(window, 'cloakroomController', { value: controller })
    return
  }
  const peer = new Peer(form, init.instance)
  const frame = init.kind === 'card' ? new CardFrame(init, port, peer) : new FieldFrame(init, port, peer)
  frame.start()
}

/**
 * Another frame of the form hands over what is typed in it.
 * @param {MessageEvent} event
 */
function join(event) {
  const instance = readJoin(event.data, form)
  const [port] = event.ports
  // Only a frame beside this one, in the same page, can be of the same form.
  if (port && instance === controller?.instance && /** @type {any} */ (event.source)?.parent === parent) controller?.admit(port)
}
