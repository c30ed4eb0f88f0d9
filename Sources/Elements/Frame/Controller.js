import { request } from './request.js'
import { oddPart } from './calls.js'
import { Engine } from '../Scripts/engine.mjs'
import { isRecord, isText } from '../Shared/checks.js'
import { Rules, todayIn } from './Rules.js'

/** Tries to load the form again: after a second, and so often after twice as long as before; then at the same pace. */
const DOUBLINGS = 5
/**
 * For how long a card number that may go on must have stood as it is before anything is sent of it, in milliseconds: its alias may show its
 * last digits, and that of what it becomes others.
 */
const QUIET = 1_000

/**
 * Asks for the engine and the form.
 * @param {string} form
 */
export function requestForm(form) {
  const requested = Promise.all([compile(), describe(form)])
  // Awaited when the page's first message arrives; the handler here keeps an earlier failure from being reported as unhandled.
  requested.catch(() => {})
  return requested
}

/** Asynchronous as well for browsers that have no `WebAssembly`: then it fails, as any other part that is missing. */
const compile = async () => WebAssembly.compileStreaming(fetch('engine.wasm'))

/** @param {string} form @returns {Promise<import('./Rules.js').Described>} */
async function describe(form) {
  const response = await fetch(`/v1/forms/${encodeURIComponent(form)}`, { credentials: 'omit' })
  if (response.ok) {
    const { headers } = response
    const ahead = Date.parse(/** @type {string} */ (headers.get('Date'))) - Date.now()
    const described = { ...await response.json(), ahead, version: headers.get('Cloakroom-Form-Version') }
    // While the engine arrives.
    todayIn(described)
    return described
  }
  const isMissing = response.status === 404
  throw {
    type: isMissing ? 'notFound' : 'unavailable', status: response.status,
    title: isMissing ? 'There is no form ' + form : 'The form could not be loaded',
  }
}

/**
 * What a text in a field means. The key of a keyboard depends on the fields behind it.
 * @param {import('./Rules.js').DescribedField} [field]
 */
const meaning = (field) => JSON.stringify({ ...field, enterKeyHint: '' })

/** Holds what was typed in all frames of one form, evaluates it, and makes the requests. */
export class Controller {
  #form
  #page
  #pageOrigin
  /** @type {Map<string, string>} */
  #texts = new Map()
  /**
   * The fields whose files are still being read.
   * @type {Set<string>}
   */
  #unread = new Set()
  /** Errors that only the gateway finds, by field, until it is changed. */
  /** @type {Map<string, string[]>} */
  #judged = new Map()
  /** The frame in which each was typed last: a field may be in two. */
  /** @type {Map<string, MessagePort>} */
  #owners = new Map()
  /** @type {Set<MessagePort>} */
  #frames = new Set()
  /** @type {MessagePort[]} */
  #numbered = []
  /** @type {Rules | undefined} */
  rules
  #lastState = ''
  /** The card numbers that the customer is typing, and that may go on. */
  #unfinished = new Set()
  /** Until when nothing is sent of one of them, in milliseconds since this was loaded: what frames hold by then may have been typed just now. */
  #quiet = QUIET
  /**
   * How long the numbers are whose last digits the page has been given, by their first six. All frames have it, as a page may load this one
   * again.
   * @type {Record<string, number>}
   */
  #lengths = {}
  /** How often the page was left. */
  #visit = 0
  /** @type {ReturnType<typeof requestForm> | undefined} What the rules were made of. */
  #loaded

  /**
   * @param {string} form @param {string} instance @param {MessagePort} page @param {string} pageOrigin
   * @param {ReturnType<typeof requestForm>} [requested] What has been asked for already.
   */
  constructor(form, instance, page, pageOrigin, requested) {
    this.#form = form
    this.instance = instance
    this.#page = page
    this.#pageOrigin = pageOrigin
    page.onmessage = ({ data }) => this.#receive(data)
    page.postMessage({ type: 'ready' })
    // When the page is left or removes this frame, what was typed goes. Fields see to themselves: those that stay tell the next
    // controller what they have.
    addEventListener('pagehide', () => {
      this.#visit++
      this.#forget()
      page.postMessage({ type: 'gone' })
      // A page that comes back from the history starts again, as it did at first: there may be no memory for an engine then.
      if (this.rules) addEventListener('pageshow', () => this.#start(0, this.#loaded), { once: true })
      this.rules = undefined
      this.#lastState = ''
    })
    this.#start(0, requested)
  }

  /** @param {number} failures How many tries have failed. @param {ReturnType<typeof requestForm>} [requested] */
  async #start(failures, requested = requestForm(this.#form)) {
    try {
      const [module, described] = await requested
      const before = this.rules
      const rules = new Rules({ engine: before?.engine ?? new Engine(module), described })
      // Fails where there is no memory for the engine, before others have it.
      rules.evaluate({})
      this.rules = rules
      this.#loaded = requested
      this.#judged.clear()
      // What was typed by another description may mean something else. First: frames tell what they hold once they have the rules.
      for (const field of before?.described.fields ?? []) {
        if (meaning(field) !== meaning(this.rules.field(field.fieldName))) this.#clear(field.fieldName)
      }
      for (const frame of this.#frames) this.#teach(frame)
      this.#evaluate()
      this.#page.postMessage({ type: 'loaded' })
    } catch (error) {
      const problem = isRecord(error) ? error : { type: 'network', title: 'The form could not be loaded' }
      if (failures === 0) this.#page.postMessage({ type: 'error', error: problem })
      // A form that does not exist will not exist in a second.
      if (problem.status !== 404) setTimeout(() => this.#start(failures + 1), 1_000 << Math.min(failures, DOUBLINGS))
    }
  }

  /**
   * Takes in another frame of the form.
   * @param {MessagePort} port
   */
  admit(port) {
    port.onmessage = ({ data }) => {
      if (data?.type === 'here') {
        this.#frames.add(port)
        if (this.rules) this.#teach(port)
      }
      // What was typed in a frame goes with it; it says so as it is removed.
      if (data?.type === 'gone') this.#remove(data.names, port)
    }
    port.postMessage({ type: 'welcome', number: this.#numbered.push(port) - 1 })
  }

  /**
   * Takes what was typed in a frame, which calls this itself.
   * @param {number} number Of the frame.
   * @param {[string, any, boolean?][]} entries
   * @param {Record<string, number>} [lengths] That the frame has.
   */
  type(number, entries, lengths) {
    Object.assign(this.#lengths, lengths)
    const port = this.#numbered[number]
    if (port) this.#type(entries, port)
    return this.#lengths
  }

  /** @param {object} message To all frames. */
  #tell(message) {
    for (const frame of this.#frames) frame.postMessage(message)
  }

  /** @param {MessagePort} frame */
  #teach(frame) {
    frame.postMessage({ type: 'rules' })
    this.#shareCards(frame)
  }

  /**
   * A security code has the length that its card demands.
   * @param {MessagePort} frame
   * @param {string} [only] The one card number that has changed.
   */
  #shareCards(frame, only = '') {
    for (const name of this.rules?.named('cardNumber') ?? []) {
      if (!only || only === name) frame.postMessage({ type: 'card', name, text: this.#texts.get(name) ?? '' })
    }
  }

  /** @param {string[]} names @param {MessagePort} frame */
  #remove(names, frame) {
    this.#frames.delete(frame)
    // It is still known by its number: a page that comes back from the history has the same frames.
    for (const name of names) {
      if (this.#owners.get(name) !== frame) continue
      this.#drop(name)
      this.#tell({ type: 'tell', name })
    }
    this.#evaluate()
  }

  /** @param {[string, any, boolean?][]} entries @param {MessagePort} from */
  #type(entries, from) {
    let isChanged = false
    for (const [name, text, isUnfinished] of entries) {
      if (this.rules && !this.rules.field(name)) {
        const title = 'The form has no field ' + name
        // null: the field was only emptied, which is no mistake of the page.
        if (text !== null) this.#page.postMessage({ type: 'error', error: { type: 'unknownField', title } })
        continue
      }
      if (isUnfinished) this.#unfinished.add(name)
      else this.#unfinished.delete(name)
      if (text === this.#texts.get(name) && from === this.#owners.get(name)) continue
      isChanged = true
      this.#drop(name)
      if (text === false) this.#unread.add(name)
      else if (text !== null) this.#texts.set(name, text)
      this.#owners.set(name, from)
      for (const frame of this.#frames) if (frame !== from) this.#shareCards(frame, name)
    }
    this.#evaluate()
    // A page can take the focus away, which is no pause.
    if (isChanged && this.#unfinished.size) this.#quiet = performance.now() + QUIET
  }

  #evaluate() {
    if (!this.rules) return
    const texts = Object.fromEntries([...this.#texts].filter(([name]) => this.rules?.field(name)))
    const state = this.rules.evaluate(texts)
    for (const [name, validationErrors] of this.#judged) {
      Object.assign(state.fields[name], { isValid: false, isComplete: false, validationErrors, undecided: undefined })
      Object.assign(state, { isValid: false, isComplete: false })
      state.nextField = Object.keys(state.fields).find((field) => field === state.nextField || this.#judged.has(field)) ?? null
    }
    for (const name of this.#unfinished) {
      // What was typed before the rules came may be of no field.
      const { type, cardBrand, inputLength } = state.fields[name] ?? {}
      if (type !== 'cardNumber' || !this.rules.goesOn(cardBrand, inputLength)) this.#unfinished.delete(name)
    }
    this.#cover(state.fields, texts)
    const text = JSON.stringify(state)
    if (text === this.#lastState) return
    this.#lastState = text
    this.#page.postMessage({ type: 'state', state: JSON.parse(text) })
  }

  /**
   * Takes the last digits out of the states of card numbers, unless they are finished. The first thirteen digits of a Visa's number may be
   * one as well: with the last four of both a page would have nearly all. A page can take the focus away from a customer who types, so of
   * numbers that begin with the same six digits those of one length alone show their last, as long as frames of the form are there.
   * @param {any} fields States of the gateway or of the engine; or whatever came.
   * @param {Record<string, string>} texts What they are of.
   */
  #cover(fields, texts) {
    for (const state of Object.values(fields ?? {})) {
      const { type, fieldName, inputLength, last4, redacted } = state ?? {}
      if (type !== 'cardNumber' || !last4) continue
      const text = texts[fieldName]
      const isFinished = text === this.#texts.get(fieldName) && !this.#unfinished.has(fieldName)
      if (isFinished && (this.#lengths[text.replace(/\D/g, '').slice(0, 6)] ??= inputLength) === inputLength) continue
      Object.assign(state, { last4: '', redacted: redacted.replace(/\d/g, '•') })
    }
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
    const odd = oddPart(message)
    if (odd) return this.#page.postMessage({ type: 'result', id: message.id, mistake: `${message.call} cannot be made with this ${odd}` })
    const call = /** @type {import('./calls.js').Call} */ (/** @type {unknown} */ (message))
    this.#tell({ type: 'show', isFinal: call.call !== 'validate' })
    const visit = this.#visit
    // Behind its deadline the page has given the call up. An older script of the page tells none.
    const mustWait = () => this.#unread.size || (call.call !== 'validate' && performance.now() < this.#quiet)
    while (mustWait() && !(Date.now() > call.deadline)) await new Promise((resolve) => setTimeout(resolve, 20))
    if (visit !== this.#visit || mustWait()) return
    // An older script of the page, from the browser's cache, names none.
    const texts = Object.fromEntries([...this.#texts].filter(([name]) => call.fields?.includes?.(name) ?? true))
    /** @type {any} */
    const outcome = await request(this.#form, call, texts, this.#pageOrigin, this.rules?.described.version)
    if (outcome.error?.type === 'formChanged') {
      await this.#start(0)
      this.#tell({ type: 'show', isFinal: true })
    }
    this.#judge(texts, outcome)
    this.#cover((outcome.error ?? outcome.value).fields, texts)
    // The browser ends requests of a page that is left: not for want of a gateway, which may have carried them out.
    if (visit === this.#visit) this.#page.postMessage({ type: 'result', id: call.id, ...outcome })
  }

  /** @param {string} name */
  #drop(name) {
    for (const known of [this.#texts, this.#judged, this.#unread]) known.delete(name)
  }

  #forget() {
    for (const known of [this.#texts, this.#judged, this.#unread]) known.clear()
    this.rules?.engine.wipe()
  }

  /**
   * Takes in what the gateway alone can find, as it keeps some patterns to itself; and that it finds nothing any more.
   * @param {Record<string, string>} texts What it has judged.
   * @param {any} outcome With the states that it returns. A call that it has carried out without any says that what must be valid is.
   */
  #judge(texts, { value, error }) {
    const { fields } = error ?? value
    if (!this.rules || (error && !isRecord(fields))) return
    const own = this.rules.evaluate(texts).fields
    for (const [name, text] of Object.entries(texts)) {
      const field = this.rules.field(name)
      const errors = fields ? fields[name]?.validationErrors : (field?.isValidIfPresent || field?.isRequiredValidOnly) && []
      // What is empty, or wrong by the rules that are here, shows so anyway. What was changed since was not judged.
      if (!Array.isArray(errors) || !own[name]?.isValid || own[name].isEmpty || this.#texts.get(name) !== text) continue
      if (errors.length) this.#judged.set(name, errors)
      else if (!this.#judged.delete(name)) continue
      this.#tell({ type: 'judged', name, text, errors })
    }
    this.#evaluate()
  }

  /** @param {string | undefined} name */
  #clear(name) {
    if (name === undefined) this.#forget()
    else this.#drop(name)
    this.#tell({ type: 'clear', name })
    for (const frame of this.#frames) this.#shareCards(frame)
    this.#evaluate()
  }

  #end() {
    this.#clear(undefined)
    for (const frame of this.#frames) frame.close()
    this.#page.close()
  }
}
