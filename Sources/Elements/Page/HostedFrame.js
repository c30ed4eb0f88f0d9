import { ASK, LONGEST_TEXT } from '../Shared/checks.js'
import { blocked } from './CloakroomError.js'

/** How long a frame may take to load before it counts as blocked, in milliseconds. */
const LOAD_LIMIT = 15_000

/** How long a page that was busy has to hear what its frames have said meanwhile, or to find out that it is shown, in milliseconds. */
const TURN = 100

/**
 * @typedef {object} FramePlace
 * @property {string} href Of `frame.html`, with the form in the query.
 * @property {string} origin Of the gateway.
 */

/**
 * A frame that is mounted in the page.
 * @typedef {object} Mounted
 * @property {HostedFrame} frame
 * @property {string[]} names The fields in it.
 * @property {boolean} isDescribed Whether it has the rules of the form.
 * @property {Map<string, object>} updates What each field was changed to since.
 */
/** One frame of the gateway in the page. After the first message it is talked to through a port alone. */
export class HostedFrame {
  /** @type {MessagePort | undefined} */
  #port
  /** Messages that wait for the frame. */
  /** @type {object[]} */
  #waiting = []
  #timer = 0
  /** The time that the timer was set to, but for the turn behind it; 0 if there is none. */
  #limited = 0
  /** Whether the frame's script has asked for the first message, and the frame has not finished loading since. */
  #hasAsked = false
  #place
  #init
  #receiver
  #label
  /**
   * What was talked to last: another one when the page has moved the frame, and none when it has removed it.
   * @type {Window | null | undefined}
   */
  window
  isReady = false
  /** Whether it did not load in time. */
  isBlocked = false

  /**
   * @param {FramePlace} place
   * @param {string} title The accessible name of the frame; empty for the controller, which is hidden.
   * @param {(variables?: string[]) => object} init Makes the first message, with the CSS variables that the frame asks for.
   * @param {(message: any) => void} receive
   * @param {string} [label] What of the page it is.
   */
  constructor(place, title, init, receive, label) {
    const frame = (this.element = document.createElement('iframe'))
    frame.title = title || 'Cloakroom'
    frame.style.cssText = 'border:0;' + (title ? 'display:block;width:100%;height:4em;color-scheme:inherit' : 'position:absolute;width:0;height:0;visibility:hidden')
    if (!title) frame.setAttribute('aria-hidden', 'true')
    this.#place = place
    this.#init = init
    this.#receiver = receive
    this.#label = label
    // The script of a frame asks as soon as it runs, before the frame has loaded: so a field is ready a fifth sooner
    // (Benchmarks/README.md). A frame that is moved within the document is loaded again, and knows nothing.
    addEventListener('message', this.#asked)
    frame.addEventListener('load', () => {
      if (!this.#hasAsked) this.#connect()
      this.#hasAsked = false
    })
    frame.src = place.href
  }

  /**
   * Puts the frame into the page, if it is not there or has not loaded.
   * @param {Element} parent
   */
  placeIn(parent) {
    if (this.isBlocked) this.element.remove()
    if (!this.element.isConnected) this.#lose()
    if (this.element.isConnected) return
    parent.append(this.element)
    this.isBlocked = false
    this.#limit(LOAD_LIMIT)
  }

  /**
   * Browsers load no frame of another origin before a prerendered page is shown: the time counts from then. And they load few at once:
   * as one starts, the time of those that have not begins again.
   * @param {number} time Until the frame counts as blocked.
   */
  #limit(time) {
    const { prerendering } = /** @type {any} */ (document)
    clearTimeout(this.#timer)
    this.#limited = time
    this.#timer = setTimeout(() => {
      if (prerendering) return this.#limit(time)
      this.#timer = setTimeout(() => {
        this.#limited = 0
        // One that the page has removed is not blocked.
        if (!this.element.isConnected) return this.#receiver({ type: 'lost' })
        // Who sent these is told that nothing came of them.
        this.#waiting = []
        this.isBlocked = true
        this.#receiver({ type: 'error', error: blocked(this.#label) })
      }, TURN)
    }, prerendering ? TURN : time)
  }

  /** What ran in the frame is gone: the page has removed it, or moved it, which loads it again. */
  #lose() {
    if (!this.isReady) return
    this.isReady = false
    this.#receiver({ type: 'lost' })
  }

  /** @param {MessageEvent} event */
  #asked = ({ source, origin, data }) => {
    if (origin !== this.#place.origin || data?.cloakroom !== ASK) return
    // This one has started, or another one of the page.
    if (this.#limited === LOAD_LIMIT) this.#limit(LOAD_LIMIT)
    // Without a source both are null once the frame has left the document.
    if (!source || source !== this.element.contentWindow) return
    this.#hasAsked = true
    this.#connect(data.variables)
  }

  /** @param {string[]} [variables] That the frame's script has asked for; absent if it has not asked. */
  #connect(variables) {
    this.#lose()
    this.#port?.close()
    const { port1, port2 } = new MessageChannel()
    this.#port = port1
    port1.onmessage = (event) => this.#receive(event.data)
    // A frame whose script has asked is not blocked, but may be slow among many.
    this.#limit(variables ? LOAD_LIMIT : 2_000)
    this.window = this.element.contentWindow
    this.window?.postMessage(this.#init(variables), this.#place.origin, [port2])
  }

  /** @param {any} message */
  #receive(message) {
    if (message.type === 'size') this.element.style.height = `${message.height}px`
    if (message.type === 'gone') {
      // As the frame is removed, and perhaps put back since; a page that is left, and may come back, keeps its own.
      if (!this.element.isConnected) this.#lose()
      if (!this.isReady) return
    }
    if (message.type === 'ready') {
      this.isReady = true
      this.isBlocked = false
      this.#limited = 0
      clearTimeout(this.#timer)
      for (const waiting of this.#waiting.splice(0)) this.post(waiting)
    }
    this.#receiver(message)
  }

  /** @param {object} message */
  post(message) {
    if (this.isReady) this.#port?.postMessage(message)
    else this.#waiting.push(message)
  }

  remove() {
    clearTimeout(this.#timer)
    removeEventListener('message', this.#asked)
    this.#port?.postMessage({ type: 'end' })
    this.#port?.close()
    this.element.remove()
  }
}

/**
 * What a frame takes over from the place where it is mounted, as it cannot inherit it.
 * @param {Element} element
 * @param {string[]} names Of CSS variables.
 */
export function surroundings(element, names) {
  const computed = getComputedStyle(element)
  /** @type {Record<string, string>} */
  const variables = {}
  for (const name of names) {
    // The frame ignores one that is as long as this, and says so.
    const value = computed.getPropertyValue(name).trim().slice(0, LONGEST_TEXT)
    if (value) variables[name] = value
  }
  return { direction: computed.direction, colorScheme: computed.colorScheme, variables }
}
