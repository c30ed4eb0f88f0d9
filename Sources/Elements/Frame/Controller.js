import { isRecord, isText } from '../Shared/checks.js'
import { load } from '../Scripts/engine.mjs'
import { request } from './request.js'
import { readCall } from './incoming.js'
import { Rules } from './Rules.js'

/** Longest text of a field, in UTF-16 code units; beyond it the gateway refuses the body anyway. */
const LONGEST_VALUE = 1_000_000

/** Holds what was typed in all frames of one form, evaluates it, and makes the requests. */
export class Controller {
  #form
  #page
  #pageOrigin
  /** @type {Map<string, string>} */
  #texts = new Map()
  /** @type {Set<MessagePort>} */
  #frames = new Set()
  /** @type {Rules | undefined} */
  #rules
  /** @type {WebAssembly.Module | undefined} */
  #module
  #lastState = ''

  /** @param {string} form @param {string} instance @param {MessagePort} page @param {string} pageOrigin */
  constructor(form, instance, page, pageOrigin) {
    this.#form = form
    this.instance = instance
    this.#page = page
    this.#pageOrigin = pageOrigin
    page.onmessage = ({ data }) => this.#receive(data)
    page.postMessage({ type: 'ready' })
    this.#start()
  }

  async #start() {
    try {
      const described = this.#describe()
      const module = await WebAssembly.compileStreaming(fetch('engine.wasm'))
      this.#module = module
      this.#rules = new Rules(await load(module), await described)
    } catch (error) {
      const problem = isRecord(error) ? error : { type: 'network', title: 'The form could not be loaded' }
      this.#page.postMessage({ type: 'error', error: problem })
      return
    }
    for (const frame of this.#frames) this.#teach(frame)
    this.#evaluate()
    this.#page.postMessage({ type: 'loaded' })
  }

  /** @returns {Promise<import('./Rules.js').Described>} */
  async #describe() {
    const response = await fetch(`/v1/forms/${encodeURIComponent(this.#form)}`, { credentials: 'omit' })
    if (response.ok) return response.json()
    throw { type: 'notFound', status: response.status, title: `There is no form ${this.#form}` }
  }

  /**
   * Takes in another frame of the form.
   * @param {MessagePort} port
   */
  admit(port) {
    port.onmessage = ({ data }) => {
      if (data.type === 'here') {
        this.#frames.add(port)
        if (this.#rules) this.#teach(port)
      } else if (data.type === 'typed') this.#type(data.texts, port)
    }
    port.postMessage({ type: 'welcome' })
  }

  /** @param {MessagePort} frame */
  #teach(frame) {
    frame.postMessage({ type: 'rules', module: this.#module, described: this.#rules?.described })
    this.#shareCard(frame)
  }

  /**
   * A security code has the length that its card demands.
   * @param {MessagePort} frame
   */
  #shareCard(frame) {
    const name = this.#rules?.first('cardNumber')
    if (name) frame.postMessage({ type: 'card', name, text: this.#texts.get(name) ?? '' })
  }

  /** @param {unknown} texts @param {MessagePort} from */
  #type(texts, from) {
    if (!isRecord(texts)) return
    const card = this.#rules?.first('cardNumber')
    for (const [name, text] of Object.entries(texts)) {
      if (!isText(text, LONGEST_VALUE)) continue
      if (this.#rules && !this.#rules.field(name)) {
        const title = `The form ${this.#form} has no field ${name}`
        this.#page.postMessage({ type: 'error', error: { type: 'unknownField', title } })
        continue
      }
      this.#texts.set(name, text)
      if (name === card) for (const frame of this.#frames) if (frame !== from) this.#shareCard(frame)
    }
    this.#evaluate()
  }

  #evaluate() {
    if (!this.#rules) return
    const known = [...this.#texts].filter(([name]) => this.#rules?.field(name))
    const state = this.#rules.evaluate(Object.fromEntries(known))
    const text = JSON.stringify(state)
    if (text === this.#lastState) return
    this.#lastState = text
    this.#page.postMessage({ type: 'state', state })
  }

  /** @param {any} message Of the page. */
  #receive(message) {
    if (!isRecord(message)) return
    if (message.type === 'call') this.#call(message)
    if (message.type === 'clear' && (message.name === undefined || isText(message.name))) this.#clear(message.name)
    if (message.type === 'end') this.#end()
  }

  /** @param {Record<string, unknown>} message */
  async #call(message) {
    const call = readCall(message)
    if (!call) return
    for (const frame of this.#frames) frame.postMessage({ type: 'show' })
    const outcome = await request(this.#form, call, Object.fromEntries(this.#texts), this.#pageOrigin)
    this.#page.postMessage({ type: 'result', id: call.id, ...outcome })
  }

  /** @param {string | undefined} name */
  #clear(name) {
    if (name === undefined) this.#texts.clear()
    else this.#texts.delete(name)
    for (const frame of this.#frames) {
      frame.postMessage({ type: 'clear', name })
      this.#shareCard(frame)
    }
    this.#evaluate()
  }

  #end() {
    this.#texts.clear()
    this.#rules?.wipe()
    for (const frame of this.#frames) frame.close()
    this.#page.close()
  }
}
