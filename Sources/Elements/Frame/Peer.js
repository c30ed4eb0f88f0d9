import { Rules } from './Rules.js'

/**
 * The way from a field to the controller of its form: a channel that this frame makes, so that the page has no end of it.
 */
export class Peer {
  #form
  #instance
  /** @type {MessagePort | undefined} */
  #port
  /** @type {Window | undefined} */
  #sibling
  /** The number that the controller has given to this frame. */
  #number = 0
  /** @type {Record<string, number> | undefined} What the controller must remember as long as this frame is there. */
  #lengths
  #timer = 0
  /** @type {unknown} The controller that was asked last: one that is loaded again is another. */
  #asked
  /** @type {any} */
  #described
  /** @type {any} */
  #receive

  /** @param {string} form @param {string} instance */
  constructor(form, instance) {
    this.#form = form
    this.#instance = instance
  }

  /**
   * Looks for the controller until it is there.
   * @param {(rules: Rules) => void} described
   * @param {(message: any) => void} receive
   */
  start(described, receive) {
    this.#described = described
    this.#receive = receive
    this.link()
  }

  /** Looks for the controller, unless the one that it has is still there: a page may remove it, or move it. */
  link() {
    if (this.#isLinkedStill) return
    this.#port = undefined
    clearInterval(this.#timer)
    const look = () => {
      for (let index = 0; index < parent.length; index++) {
        const sibling = /** @type {any} */ (parent[index])
        try {
          const controller = sibling.location.origin === location.origin && sibling.cloakroomController
          if (controller?.instance !== this.#instance || controller === this.#asked) continue
          this.#asked = controller
          this.#ask(sibling, controller)
        } catch {
          // It is of another origin.
        }
      }
    }
    look()
    this.#timer = setInterval(look, 8)
  }

  /** Whether the controller is there: not removed, and not loaded again in its place. */
  get #isLinkedStill() {
    const sibling = /** @type {any} */ (this.#sibling)
    return this.#port && !sibling.closed && sibling.cloakroomController === this.#asked
  }

  /** @param {Window} sibling @param {any} controller Which is there. */
  #ask(sibling, controller) {
    const { port1, port2 } = new MessageChannel()
    port1.onmessage = ({ data }) => {
      if (data.type === 'welcome') {
        // The first one that replies is the controller, as long as it is there.
        if (this.#isLinkedStill) return port1.close()
        this.#port = port1
        this.#sibling = sibling
        this.#number = data.number
        clearInterval(this.#timer)
        port1.postMessage({ type: 'here' })
      } else if (data.type === 'rules') {
        // The controller has none from when the page is left until it comes back; it teaches them again then.
        if (controller.rules) this.#described(new Rules(controller.rules))
      } else this.#receive(data)
    }
    sibling.postMessage({ cloakroom: 'join', form: this.#form, instance: this.#instance }, location.origin, [port2])
  }

  /**
   * Hands over what was typed. By a call, as the controller is of this origin: a message would wait until the browser has drawn.
   * @param {[string, string | null | false, boolean?][]} entries Names of fields and their texts; null for one that was cleared, false while
   *   a file is read. And whether the customer is still typing there.
   */
  type(entries) {
    try {
      this.#lengths = /** @type {any} */ (this.#sibling)?.cloakroomController?.type(this.#number, entries, this.#lengths) ?? this.#lengths
    } catch {
      // The frame is being removed, or moved: the next one asks.
    }
  }

  /** @param {object} message */
  post(message) {
    this.#port?.postMessage(message)
  }
}
