import { isLocale, isTextMap } from '../Shared/checks.js'
import { CloakroomError, late } from './CloakroomError.js'
import { cardInit, fitting, look, mistaken, plain, short, texts, tooLong, warn } from './options.js'
import { forget, hold, sessionText, sessions } from './sessions.js'
import { HostedFrame, surroundings } from './HostedFrame.js'

/** @typedef {import('./HostedFrame.js').Mounted} Mounted */
/** @typedef {'ready' | 'change' | 'focus' | 'blur' | 'submit' | 'error'} EventName */
/** @typedef {import('./options.js').FormOptions} FormOptions */
/** @typedef {import('./options.js').FieldOptions} FieldOptions */
/** @typedef {import('./options.js').CardOptions} CardOptions */
/** @typedef {import('./sessions.js').Keyed & { resolve: (value: any) => void, reject: (error: Error) => void, timer: number }} PendingCall */

/** @param {string} form Of which nothing is known. */
const empty = (form) => ({ form, isValid: false, isComplete: false, nextField: null, fields: {} })
const destroyed = () => mistaken('the form was destroyed')

const EVENTS = ['ready', 'change', 'focus', 'blur', 'submit', 'error']
/** In milliseconds: longer than the frame waits, which knows more. */
const CALL_LIMIT = 70_000
/** Between two looks at frames that have not told their names yet, in milliseconds. */
const PAUSE = 20

/** One form of the gateway, in a page. Typed text stays in its frames. */
export class Form {
  #id
  #options
  #messages
  #place
  #controller
  #instance = crypto.getRandomValues(new Uint32Array(4)).join('-')
  /** @type {Map<string, Set<(detail: any) => void>>} */
  #listeners = new Map(EVENTS.map((name) => [name, new Set()]))
  /** @type {Set<Mounted>} */
  #mounted = new Set()
  /** @type {Map<number, PendingCall>} */
  #calls = new Map()
  #lastCall = 0
  #focused = ''
  /** Whether the controller has the form. */
  #isLoaded = false
  #isReady = false
  /** @type {Error | undefined} Why no call can be made: the controller did not load or has not got the form yet, or the form was destroyed. */
  #problem
  #isDestroyed = false
  /** @type {any} */
  #state

  /**
   * @param {string} id
   * @param {FormOptions} options
   * @param {URL} folder Where the scripts come from.
   */
  constructor(id, options, folder) {
    if (!/^[\w-]{1,64}$/.test(id ?? '')) throw mistaken('a form needs an id')
    const { gateway } = options
    // A copy: the page's object may be a proxy, which postMessage refuses, and the page may change it.
    this.#messages = plain(short(options.messages ?? {}))
    if (!isTextMap(this.#messages)) throw tooLong('messages')
    this.#id = id
    this.#options = options
    // Throws a TypeError for a text without a scheme: it would be resolved as a path of the page's site.
    const url = (this.#place = new URL('frame.html?form=' + id, gateway ? new URL('/elements/v1/', gateway) : folder))
    this.#state = empty(id)
    this.#controller = new HostedFrame(
      { href: url + '&controller', origin: url.origin }, '', () => this.#init(document.documentElement, { kind: 'controller' }),
      (message) => this.#receive(message))
    // Behind the fields that the page mounts at once: what can be focused comes first.
    queueMicrotask(() => this.#keep())
  }

  /** Puts the controller into the page, again if it went with what the page has replaced. */
  #keep() {
    if (!this.#isDestroyed) this.#controller.placeIn(document.body ?? document.documentElement)
  }

  /** What `validate` would return now, and `isFocused` of each field. Never a value. */
  get state() {
    return structuredClone(this.#state)
  }

  /**
   * @param {EventName} name @param {(detail: any) => void} listener
   * @returns {() => void} Removes the listener.
   */
  on(name, listener) {
    const listeners = this.#listeners.get(name)
    if (!listeners) throw mistaken(`there is no event ${name}`)
    listeners.add(listener)
    return () => listeners.delete(listener)
  }

  /** @param {string} name @param {FieldOptions} options */
  field(name, options) {
    if (!name || !options?.label?.trim?.()) throw mistaken('a field needs name and label')
    return this.#mountable(options.label, [name], () => ({ kind: 'field', inputs: [{ name, ...texts(options) }], ...look(options) }))
  }

  /** @param {CardOptions} [options] */
  card(options = {}) {
    return this.#mountable(options.label, [], () => cardInit(options))
  }

  /**
   * @param {string | undefined} label
   * @param {string[]} names Of the fields, as far as they are known.
   * @param {() => { kind: string }} describe
   */
  #mountable(label, names, describe) {
    /** @type {Mounted | undefined} */
    let entry
    const mountable = {
      /** @param {string | Element} target An element, or a selector of one. */
      mount: (target) => {
        const element = typeof target === 'string' ? document.querySelector(target) : target
        if (!element) throw mistaken(`there is no element ${target}`)
        if (this.#isDestroyed) throw destroyed()
        mountable.unmount()
        const options = describe()
        fitting(this.#init(element, options))
        /** @type {Mounted} */
        const made = {
          names, isDescribed: false, updates: new Map(),
          frame: new HostedFrame(
            this.#place, label || 'Card', (variables) => this.#init(element, options, variables), (message) => {
              if (message.title && !label) made.frame.element.title = message.title
              this.#receive(message, made)
            }, label),
        }
        this.#mounted.add((entry = made))
        made.frame.placeIn(element)
        if (this.#isReady) this.#keep()
        return mountable
      },
      unmount: () => {
        if (!entry) return
        this.#leave(entry)
        this.#mounted.delete(entry)
        entry.frame.remove()
        entry = undefined
        this.#becomeReady()
      },
    }
    return mountable
  }

  /** @param {Element} element @param {{ kind: string }} options @param {string[]} [variables] */
  #init(element, options, variables = []) {
    const locale = [this.#options.locale, document.documentElement.lang, navigator.language].find(isLocale) ?? 'en'
    return {
      cloakroom: 'init', instance: this.#instance, messages: this.#messages, locale, ...surroundings(element, variables), ...options,
    }
  }

  /**
   * Handles a message of a frame.
   * @param {any} message
   * @param {Mounted} [entry] Where it is mounted; absent for the controller.
   */
  #receive(message, entry) {
    switch (message.type) {
      case 'ready':
        if (entry) break
        // It was late, not blocked.
        this.#problem = undefined
        // Fields look for the controller as they start; those that are there have lost the one before it.
        for (const { frame } of this.#mounted) frame.post({ type: 'link' })
        break
      case 'lost':
        if (!entry) this.#loseController()
        else {
          this.#leave(entry)
          entry.isDescribed = false
          this.#becomeReady()
        }
        break
      case 'names':
        if (entry) {
          Object.assign(entry, { names: message.names, isDescribed: true })
          // A frame that was moved has started with its first options.
          for (const update of entry.updates.values()) entry.frame.post(update)
        }
        this.#becomeReady()
        break
      case 'loaded':
        this.#isLoaded = true
        this.#problem = undefined
        this.#becomeReady()
        break
      case 'state':
        this.#state = message.state
        this.#setFocus(this.#focused)
        this.#emit('change', this.state)
        break
      case 'focus':
      case 'blur':
        this.#setFocus(message.type === 'focus' ? message.name : message.name === this.#focused ? '' : this.#focused)
      // The page gets all three.
      case 'submit':
        this.#emit(message.type, { name: message.name })
        break
      case 'error': {
        const error = new CloakroomError(message.error)
        if (!entry && !this.#isLoaded) {
          // No call has been given to the gateway. In a page that came back nothing is known of what was typed before.
          this.#fail((this.#problem = error))
          if (this.#isReady) this.#receive({ type: 'state', state: empty(this.#id) })
        }
        this.#emit('error', error)
        break
      }
      case 'gone':
        // It comes back from the history: its fields are empty, and nobody waits for what was asked before.
        if (entry) entry.isDescribed = false
        else this.#fail(late('The page was left'))
        break
      case 'ignored':
        warn(`${message.place} is ignored`)
        break
      case 'result': this.#settle(message)
    }
  }

  /** What is mounted and in the page. */
  get #present() {
    return [...this.#mounted].filter(({ frame }) => frame.element.isConnected)
  }

  /** Whether a frame in the page has not told its names yet. */
  get #isIncomplete() {
    return this.#present.some(({ isDescribed }) => !isDescribed)
  }

  #becomeReady() {
    if (this.#isReady || !this.#isLoaded || this.#isIncomplete) return
    this.#isReady = true
    this.#emit('ready', this.state)
  }

  /** @param {string} name */
  #setFocus(name) {
    this.#focused = name
    for (const field of Object.values(this.#state.fields)) /** @type {any} */ (field).isFocused = /** @type {any} */ (field).fieldName === name
  }

  /** @param {Mounted} entry The focus goes with the frame that has it. */
  #leave(entry) {
    if (entry.names.includes(this.#focused)) this.#receive({ type: 'blur', name: this.#focused }, entry)
  }

  /** The controller was removed or moved by the page, which ends its requests, but not what the gateway does. */
  #loseController() {
    // The next one knows nothing of them.
    for (const entry of this.#mounted) entry.isDescribed = false
    this.#fail(late('The frame was removed'))
    // Without fields, a page that has replaced its content has no use for it.
    if (this.#present.length) this.#keep()
    else this.#receive({ type: 'state', state: empty(this.#id) })
  }

  /** @param {Error} error Why the controller has the form no longer, or has not got it. */
  #fail(error) {
    this.#isLoaded = false
    for (const id of this.#calls.keys()) this.#settle({ id, error })
  }

  /** @param {EventName} name @param {any} detail */
  #emit(name, detail) {
    for (const listener of [.../** @type {Set<(detail: any) => void>} */ (this.#listeners.get(name))]) {
      try {
        listener(detail)
      } catch (error) {
        // A listener's mistake is the page's, and must not stop the others.
        reportError(error)
      }
    }
  }

  /** @param {any} message */
  #settle({ id, value, error, mistake, isUndone }) {
    const call = this.#calls.get(id)
    if (!call) return
    this.#calls.delete(id)
    clearTimeout(call.timer)
    if (mistake || isUndone) forget(call, mistake)
    if (mistake) call.reject(mistaken(mistake))
    else if (error) call.reject(error instanceof Error ? error : new CloakroomError(error))
    else call.resolve(value)
  }

  /** @param {string} call @param {{ idempotencyKey?: string }} options The page's. @param {object} [rest] */
  #call(call, { idempotencyKey } = {}, rest) {
    return new Promise((resolve, reject) => {
      const id = ++this.#lastCall
      const pending = { resolve, reject, timer: setTimeout(() => this.#settle({ id, error: late('No response in time') }), CALL_LIMIT) }
      this.#calls.set(id, pending)
      this.#prepare({ type: 'call', id, call, deadline: Date.now() + CALL_LIMIT, idempotencyKey, ...rest }, pending).catch((error) => this.#settle({ id, error }))
    })
  }

  /**
   * Gets a session for a call, and gives it to the controller; unless it has ended meanwhile, as when the page was left.
   * @param {{ id: number, call: string, type: string, deadline: number, idempotencyKey?: string, headers?: Record<string, string> }} message
   * @param {PendingCall} call
   */
  async #prepare(message, call) {
    if (this.#isDestroyed) throw destroyed()
    try {
      structuredClone(message)
      // As the frame sends it: without blanks around it.
      const { headers, idempotencyKey } = message
      const key = new Headers(idempotencyKey === undefined ? headers : { 'Idempotency-Key': idempotencyKey }).get('Idempotency-Key')
      call.under = key && this.#place + ' ' + key
    } catch {
      throw mistaken(message.call + ' cannot be made with this')
    }
    call.held = sessions.get(call.under) ?? { session: await sessionText(this.#options), count: 0 }
    // With a controller that is gone, the calls end that it has got.
    if (!this.#calls.delete(message.id)) return
    this.#keep()
    this.#calls.set(message.id, call)
    if (this.#problem) throw this.#problem
    this.#give(message)
  }

  /** @param {{ id: number }} message Of a call, given to the controller once every frame has told its names, and with them what was typed in it. */
  #give(message) {
    const call = this.#calls.get(message.id)
    // It has ended meanwhile.
    if (!call) return
    const frames = this.#present
    // One that the page has just moved starts again.
    if (!this.#controller.isReady || frames.some(({ frame, isDescribed }) => !frame.isBlocked && (!isDescribed || frame.window !== frame.element.contentWindow))) return void setTimeout(() => this.#give(message), PAUSE)
    // What was typed in a frame that was removed goes with it. The frame says so as well, but may come after this call.
    this.#controller.post({ ...message, session: hold(call).session, fields: frames.flatMap(({ names }) => names) })
  }

  validate() {
    return this.#call('validate')
  }

  /** @param {{ idempotencyKey?: string }} [options] */
  aliases(options) {
    return this.#call('aliases', options)
  }

  /** @param {{ idempotencyKey?: string }} [options] */
  tokens(options) {
    return this.#call('tokens', options)
  }

  /** @param {string} path @param {{ method?: string, extraData?: object, headers?: Record<string, string>, idempotencyKey?: string }} options */
  async send(path, { method = 'POST', extraData, headers, ...options } = {}) {
    return this.#call('send', options, { path, method: method.toUpperCase(), extraData: extraData && plain(extraData), headers })
  }

  /** @param {string} name @param {(entry: Mounted) => void} act On the frame of a field. The names in a card are known once it has the rules. */
  #at(name, act) {
    // The page may have removed what was mounted before.
    const entry = [...this.#mounted].reverse().find(({ names }) => names.includes(name))
    if (entry) act(entry)
    else if (this.#isIncomplete) setTimeout(() => this.#at(name, act), PAUSE)
    else warn(`no field ${name} is mounted`)
  }

  /** @param {string} name */
  focus(name) {
    this.#at(name, ({ frame }) => {
      frame.element.focus()
      frame.post({ type: 'focus', name })
    })
  }

  /** @param {string} [name] Absent: all fields. */
  clear(name) {
    this.#controller.post({ type: 'clear', name })
  }

  /** @param {string} name @param {FieldOptions} options */
  update(name, options) {
    const update = fitting(plain({ type: 'update', name, ...texts(options), ...look(options) }))
    this.#at(name, ({ frame, names, updates }) => {
      if (options.label && names.length === 1) frame.element.title = options.label
      frame.post(update)
      // The focus is taken once.
      updates.set(name, { ...updates.get(name), ...update, autofocus: undefined })
    })
  }

  /** Removes the frames, and with them all that was typed. */
  destroy() {
    for (const { frame } of this.#mounted) frame.remove()
    this.#mounted.clear()
    this.#controller.remove()
    for (const listeners of this.#listeners.values()) listeners.clear()
    this.#isDestroyed = true
    this.#fail((this.#problem = this.#controller.isReady ? late('The form was destroyed') : destroyed()))
  }
}
