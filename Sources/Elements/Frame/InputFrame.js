import { HostedInput, make } from './HostedInput.js'
import { applyStyle, applySurroundings } from './appearance.js'
import { isUpdate } from './incoming.js'

/** @typedef {import('./incoming.js').Init} Init */
/** @typedef {import('./Rules.js').Rules} Rules */

/** The inputs of one frame, between the page and the controller. */
export class InputFrame {
  #port
  #peer
  /**
   * The card numbers in other frames.
   * @type {Map<string, string>}
   */
  #cards = new Map()
  /** @type {Rules | undefined} */
  #rules
  #live = make('p', { className: 'unseen', 'aria-live': 'polite' })
  #height = 0

  /** @param {Init} init @param {MessagePort} port To the page. @param {import('./Peer.js').Peer} peer */
  constructor(init, port, peer) {
    this.#port = port
    this.#peer = peer
    this.messages = init.messages
    this.locale = init.locale
    this.isInline = init.layout === 'inline'
    this.inputs = init.inputs.map((options) => new HostedInput(options, this))
    applySurroundings(init, (place) => this.#ignore(place))
    this.#look(init, this.inputs)
    port.onmessage = ({ data }) => this.#receive(data)
  }

  /**
   * Shows the inputs.
   * @param {HTMLElement} content
   */
  show(content) {
    document.querySelector('main')?.append(content, this.#live)
    new ResizeObserver(() => this.#measure()).observe(document.body)
    this.#measure()
    this.#port.postMessage({ type: 'ready' })
    this.#peer.start(
      (rules) => {
        this.#rules = rules
        const unnamed = this.inputs.filter(({ name }) => !name)
        for (const input of this.inputs) input.describe(rules)
        // First: the page's calls wait for the names. And of what the form does not have, so that the page is told.
        this.#report(this.inputs.filter(({ name, typed }) => typed.text || !rules.field(name)))
        this.#port.postMessage({ type: 'names', names: this.inputs.map(({ name }) => name).filter(Boolean), title: this.title })
        // Those of a card, which had no name until now.
        for (const input of unnamed) if (input.isActive) this.happened(input, 'focus')
      },
      (message) => this.#hear(message))
    addEventListener('pagehide', () => this.#leave())
    // A page that comes back from the history starts again, with the same frames.
    addEventListener('pageshow', (event) => event.persisted && this.#peer.post({ type: 'here' }))
  }

  /** What was typed goes with the frame, or with the page that is left; and the rules, which a page that comes back from the history gets again. */
  #leave() {
    const names = this.inputs.map(({ name }) => name)
    this.#peer.post({ type: 'gone', names })
    this.#port.postMessage({ type: 'gone' })
    this.#cards.clear()
    this.#rules = undefined
    for (const input of this.inputs) input.leave()
  }

  /** The accessible name of the frame, if the page gives none. */
  get title() {
    return ''
  }

  #measure() {
    const height = Math.ceil(document.body.getBoundingClientRect().height)
    if (height === this.#height) return
    this.#height = height
    this.#port.postMessage({ type: 'size', height })
  }

  /** @param {unknown} name Of a field. */
  #named(name) {
    return this.inputs.filter((input) => input.name === name)
  }

  /** @param {HostedInput[]} inputs Those of a card have no names before the rules are there, which are waited for. */
  #report(inputs) {
    const named = inputs.filter(({ name }) => name)
    if (named.length === 0) return
    this.#peer.type(named.map(({ name, typed, standIn, isUnfinished }) => [name, standIn === undefined ? typed.value : standIn, isUnfinished]))
  }

  /**
   * The card number that another field depends on.
   * @param {string} field
   */
  card(field) {
    const name = this.#rules?.cardOf(field)
    if (name === undefined) return undefined
    return { name, text: this.#named(name)[0]?.typed.value ?? this.#cards.get(name) ?? '' }
  }

  /** @param {HostedInput} input @param {boolean} isInsertion */
  typed(input, isInsertion) {
    void isInsertion
    this.finish(input)
    this.#report([input])
  }

  /**
   * The customer has left what was typed, or has pressed Enter.
   * @param {HostedInput} [but] Where it goes on.
   */
  finish(but) {
    const finished = this.inputs.filter((input) => input.isUnfinished && input !== but)
    for (const input of finished) input.isUnfinished = false
    this.#report(finished)
  }

  /** @param {HostedInput} input @param {'focus' | 'blur' | 'submit'} event */
  happened(input, event) {
    if (input.name) this.#port.postMessage({ type: event, name: input.name })
  }

  /** @param {string} text */
  announce(text) {
    this.#live.textContent = text
  }

  /**
   * Handles a message of the controller.
   * @param {any} message
   */
  #hear(message) {
    if (message.type === 'card') {
      this.#cards.set(message.name, message.text)
      for (const input of this.inputs) {
        if (this.card(input.name)?.name !== message.name) continue
        const before = input.typed.value
        input.refresh()
        if (input.typed.value !== before) this.#report([input])
      }
    } else if (message.type === 'show') {
      // A page may look at what is typed at each change.
      for (const input of this.inputs) if (message.isFinal || !input.isActive) input.showError()
    } else if (message.type === 'judged') {
      for (const input of this.#named(message.name)) input.judge(message.text, message.errors)
    } else if (message.type === 'clear') {
      const inputs = message.name === undefined ? this.inputs : this.#named(message.name)
      for (const input of inputs) input.clear()
      // What was typed before this was heard is cleared here, and so it is there.
      this.#peer.type(inputs.map(({ name }) => [name, null]))
    } else if (message.type === 'tell') {
      this.#report(this.#named(message.name).filter(({ typed }) => typed.text))
    }
  }

  /**
   * Handles a message of the page.
   * @param {any} data
   */
  #receive(data) {
    const type = data?.type
    if (type === 'focus') this.#focus(data.name)
    if (type === 'end') {
      this.#leave()
      this.#port.close()
    }
    if (type === 'link') this.#peer.link()
    if (type !== 'update' || !isUpdate(data)) return
    const inputs = this.#named(data.name)
    for (const input of inputs) input.setTexts(data)
    this.#look(data, inputs)
  }

  /**
   * The page has given the focus to the frame, which may hear of it later than of this message. An input that is focused before its
   * frame loses the focus again when the frame gets it, so it waits.
   * @param {unknown} name
   */
  #focus(name) {
    const input = this.#named(name)[0]?.input
    if (!input) return
    if (document.hasFocus()) input.focus()
    else addEventListener('focus', () => input.focus(), { once: true })
  }

  /** @param {import('./incoming.js').Look} look @param {HostedInput[]} inputs */
  #look({ style, showBrand, disabled, autofocus }, inputs) {
    // Those of a card together, or one of them.
    if (style) applyStyle(style, inputs.length < this.inputs.length ? inputs[0]?.input.id : '', (place) => this.#ignore('the style ' + place))
    for (const input of inputs) {
      if (showBrand !== undefined) {
        input.showBrand = showBrand
        input.refresh()
      }
      if (disabled !== undefined) input.input.disabled = disabled
    }
    if (autofocus) setTimeout(() => inputs[0].input.focus())
  }

  /** @param {string} place */
  #ignore(place) {
    this.#port.postMessage({ type: 'ignored', place })
  }
}
