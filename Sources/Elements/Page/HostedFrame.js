import { VARIABLES, isStyleValue } from '../Shared/styles.js'

/** How long a frame may take to load before it counts as blocked, in milliseconds. */
const LOAD_LIMIT = 15_000

/**
 * @typedef {object} FramePlace
 * @property {string} url Of `frame.html`, with the form in the query.
 * @property {string} origin Of the gateway.
 */

/** One frame of the gateway in the page. After the first message it is talked to through a port alone. */
export class HostedFrame {
  /** @type {MessagePort | undefined} */
  #port
  /** Messages that wait for the frame. */
  /** @type {object[]} */
  #waiting = []
  #timer = 0
  isReady = false

  /**
   * @param {FramePlace} place
   * @param {string} title The accessible name of the frame; empty for the controller, which is hidden.
   * @param {() => object} init Makes the first message.
   * @param {(message: any) => void} receive
   * @param {() => void} blocked Is called if the frame does not load.
   */
  constructor(place, title, init, receive, blocked) {
    const frame = (this.element = document.createElement('iframe'))
    frame.title = title || 'Cloakroom'
    frame.referrerPolicy = 'no-referrer'
    frame.setAttribute('scrolling', 'no')
    Object.assign(frame.style, { border: '0', display: 'block', width: '100%', height: '4em', colorScheme: 'inherit' })
    if (!title) {
      frame.tabIndex = -1
      frame.setAttribute('aria-hidden', 'true')
      Object.assign(frame.style, { position: 'absolute', width: '0', height: '0', visibility: 'hidden' })
    }
    // A frame that is moved within the document is loaded again, and knows nothing.
    frame.addEventListener('load', () => {
      this.#port?.close()
      this.isReady = false
      const { port1, port2 } = new MessageChannel()
      this.#port = port1
      port1.onmessage = (event) => this.#receive(event.data, receive)
      clearTimeout(this.#timer)
      this.#timer = window.setTimeout(() => this.isReady || blocked(), 2_000)
      frame.contentWindow?.postMessage(init(), place.origin, [port2])
    })
    this.#timer = window.setTimeout(() => this.isReady || blocked(), LOAD_LIMIT)
    frame.src = place.url
  }

  /** @param {any} message @param {(message: any) => void} receive */
  #receive(message, receive) {
    if (message.type === 'size') {
      this.element.style.height = `${message.height}px`
      return
    }
    if (message.type === 'ready') {
      this.isReady = true
      clearTimeout(this.#timer)
      for (const waiting of this.#waiting.splice(0)) this.#port?.postMessage(waiting)
    }
    receive(message)
  }

  /** @param {object} message */
  post(message) {
    if (this.isReady) this.#port?.postMessage(message)
    else this.#waiting.push(message)
  }

  remove() {
    clearTimeout(this.#timer)
    this.#port?.postMessage({ type: 'end' })
    this.#port?.close()
    this.element.remove()
  }
}

/**
 * What a frame takes over from the place where it is mounted, as it cannot inherit it.
 * @param {Element} element
 */
export function surroundings(element) {
  const computed = getComputedStyle(element)
  /** @type {Record<string, string>} */
  const variables = {}
  for (const name of VARIABLES) {
    const value = computed.getPropertyValue(name).trim()
    if (!value) continue
    if (isStyleValue(value)) variables[name] = value
    else console.warn(`Cloakroom: ${name} is ignored`)
  }
  return { direction: computed.direction, colorScheme: computed.colorScheme, variables }
}
