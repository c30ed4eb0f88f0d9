import { textOf, yearLetter } from './messages.js'
import { TypedInput } from './TypedInput.js'

/** @typedef {import('./Rules.js').Rules} Rules */
/**
 * @typedef {object} InputOwner
 * @property {Record<string, string>} messages
 * @property {string} locale
 * @property {boolean} isInline Whether its inputs are in one box, where labels are for screen readers alone.
 * @property {(field: string) => { name: string, text: string } | undefined} card The card number, for what depends on it.
 * @property {(input: HostedInput, isInsertion: boolean) => void} typed
 * @property {() => void} finish What was typed is left.
 * @property {(input: HostedInput, event: 'focus' | 'blur' | 'submit') => void} happened
 * @property {(text: string) => void} announce
 */

/**
 * The digits of an expiry date, by `inputDateFormat`.
 * @type {Record<string, string>}
 */
const DATES = { shortYear: 'MMYY', longYear: 'MMYYYY', shortYearThenMonth: 'YYMM', longYearThenMonth: 'YYYYMM' }

let lastId = 0

/**
 * @param {string} tag
 * @param {Record<string, any>} properties And attributes, whose names have a hyphen.
 * @param {(Node | string)[]} children
 */
export function make(tag, properties, ...children) {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(properties)) {
    if (name.includes('-')) element.setAttribute(name, value)
    else /** @type {any} */ (element)[name] = value
  }
  element.append(...children)
  return element
}

/**
 * The content of a file as it is submitted (docs/reference/fields.md section 12).
 * @param {Blob} file
 * @returns {Promise<string>}
 */
const base64Of = (file) => new Promise((resolve, reject) => {
  const reader = new FileReader()
  reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,?/, ''))
  reader.onerror = reject
  reader.readAsDataURL(file)
})

/** One input with its label, its brand and its error. */
export class HostedInput {
  /** @type {Rules | undefined} */
  #rules
  /**
   * What the gateway has found wrong with the text, until it is changed.
   * @type {string[]}
   */
  #judged = []
  /** What browsers may fill the field in with. */
  #autocomplete = ''
  /** The page's. */
  #placeholder = ''
  /** Whether what is wrong is said: from when the field is left, or a call made, until it is changed. */
  #isLeft = false
  name = ''
  /**
   * What is handed over in place of the text: false while a file is read, null once it is taken away.
   * @type {false | null | undefined}
   */
  standIn
  /** Whether the customer has changed the text, and not left it since. */
  isUnfinished = false
  showBrand = true

  /** @param {import('./incoming.js').InputOptions} options @param {InputOwner} owner */
  constructor({ name = '', role = '', label, placeholder, value = '' }, owner) {
    const id = ++lastId
    this.name = name
    this.role = role
    this.owner = owner
    const input = (this.input = /** @type {HTMLInputElement} */ (make('input', { id: `input${id}`, spellcheck: false, autocapitalize: 'off', 'aria-describedby': `error${id}` })))
    input.setAttribute('autocorrect', 'off')
    this.label = make('label', { htmlFor: input.id })
    this.error = make('p', { id: `error${id}`, className: 'error', 'aria-live': 'polite' })
    this.brand = make('span', { className: 'brand', 'aria-hidden': true })
    this.last4 = make('span', { className: 'last4', 'aria-hidden': true })
    this.box = make('div', { className: 'box' }, this.last4, input, this.brand)
    this.element = make('div', { className: `field ${role}` }, this.label, this.box, this.error)
    this.setTexts({ label: label?.trim() || textOf(role.toUpperCase(), owner), placeholder })
    // First of all, and during a composition, too.
    input.addEventListener('input', () => this.#keepFromDisk())
    this.typed = new TypedInput(input, {
      shape: (text, caret, edit) => this.#rules?.shape(this.name, text, caret, { cardNumber: this.owner.card(this.name)?.text, edit }),
      changed: (isInsertion) => {
        this.#judged = []
        this.showError(false)
        // A browser fills in others, too.
        this.isUnfinished = this.isActive
        owner.typed(this, isInsertion)
        this.#mark()
      },
      refused: () => this.#refuse(),
      filledIn: (text) => this.#filledIn(text),
    })
    // Of a customer whom the page knows. It is judged like any other.
    if (value) this.typed.reset(value)
    input.addEventListener('focus', () => owner.happened(this, 'focus'))
    // The browser takes it out before another field refuses it.
    input.addEventListener('dragstart', (event) => event.preventDefault())
    input.addEventListener('blur', ({ relatedTarget }) => {
      this.showError()
      // A card moves on by itself: what stands in it is not left before the next field is typed in.
      if (!relatedTarget) owner.finish()
      owner.happened(this, 'blur')
    })
    input.addEventListener('keydown', (event) => {
      // In a field for files it opens the chooser.
      if (event.key !== 'Enter' || event.isComposing || input.type === 'file') return
      event.preventDefault()
      this.showError()
      owner.finish()
      owner.happened(this, 'submit')
    })
  }

  get isActive() {
    return document.hasFocus() && document.activeElement === this.input
  }

  /** @param {{ label?: string, placeholder?: string }} texts */
  setTexts({ label, placeholder }) {
    if (label?.trim()) {
      this.label.textContent = label
      // A page may hide the label, but not the name.
      this.input.setAttribute('aria-label', label)
    }
    this.#placeholder = placeholder ?? this.#placeholder
    this.#hint()
  }

  /** Without a placeholder of the page's there is one for a date, or in one box the name: that of a code is in most languages too wide. */
  #hint() {
    const { role, owner, label: { textContent } } = this
    const name = role === 'cvc' && textContent === textOf('CVC', owner) ? 'CVC' : textContent
    this.input.placeholder = this.#placeholder || this.#emptyDate || (owner.isInline && name) || ''
  }

  /**
   * Takes the rules of the form, with which the field gets its keyboard and its shape.
   * @param {Rules} rules
   */
  describe(rules) {
    const type = { number: 'cardNumber', expiry: 'expDate', cvc: 'cvc' }[this.role]
    if (!this.name && type) this.name = rules.named(type)[0] ?? ''
    const field = rules.field(this.name)
    // What is typed in a field that the form does not have, or has no longer, goes nowhere.
    this.element.hidden = !field
    const { input } = this
    this.#rules = field && rules
    // Browsers choose between short and long years by it.
    this.#hint()
    if (!field) return
    input.inputMode = field.inputMode
    this.#autocomplete = field.autocomplete
    input.name = field.autocomplete === 'on' ? '' : field.autocomplete
    input.enterKeyHint = field.enterKeyHint
    // Groups of digits follow each other from left to right in every language.
    if (['numeric', 'tel'].includes(field.inputMode)) input.dir = 'ltr'
    input.required = field.isRequired
    input.setAttribute('aria-required', String(field.isRequired))
    if (field.type === 'file' && input.type !== 'file') this.#takeFiles(field.file)
    this.typed.reshape()
    this.#mark()
  }

  /** @param {any} limits The media types to offer, and the size that is too large. */
  #takeFiles({ contentTypes, maxBytes }) {
    const { input } = this
    input.type = 'file'
    input.accept = contentTypes?.join() ?? ''
    input.addEventListener('change', async () => {
      const file = input.files?.[0]
      // Until it is read, what was chosen before must not go under its name.
      this.standIn = file ? false : null
      this.typed.take('')
      if (file) {
        // Twice the limit is too large already: the rest of such a file need not be read.
        const content = await base64Of(file.slice(0, 2 * maxBytes)).catch(() => undefined)
        // Another was chosen, or all was cleared.
        if (input.files?.[0] !== file) return
        this.standIn = undefined
        if (content === undefined) {
          this.clear()
          this.#refuse()
        } else this.typed.take(content)
      }
      this.showError()
    })
  }

  /** A placeholder that shows how a month and a year are asked for. */
  get #emptyDate() {
    const { type, formatPattern = '', inputDateFormat = 'shortYear' } = this.#rules?.field(this.name) ?? {}
    const letters = DATES[inputDateFormat] ?? ''
    if (type !== 'expDate' || formatPattern.split('#').length - 1 !== letters.length) return ''
    let index = 0
    return formatPattern.replaceAll('#', () => letters[index++]).replaceAll('Y', yearLetter(this.owner.locale))
  }

  /**
   * Browsers know an expiry date and fill it in as 12/2031 too, whatever the field's format.
   * @param {string} text
   */
  #filledIn(text) {
    const field = this.#rules?.field(this.name)
    const date = /^\s*(\d{1,2})\s*[-/. ]\s*(20\d\d)\s*$/.exec(text)
    if (field?.type !== 'expDate' || !date) return text
    const [, month, year] = date
    return (DATES[field.inputDateFormat ?? 'shortYear'] ?? text)
      .replace('MM', month.padStart(2, '0')).replace('YYYY', year).replace('YY', year.slice(2))
  }

  /** The state of the field, as far as it depends on itself and the card number. */
  get state() {
    const rules = this.#rules
    if (!rules) return undefined
    const card = this.owner.card(this.name)
    const state = rules.evaluate({ ...(card && { [card.name]: card.text }), [this.name]: this.typed.value }).fields[this.name]
    return this.#judged.length ? { ...state, isValid: false, isComplete: false, validationErrors: this.#judged } : state
  }

  /**
   * Shows what the gateway has found wrong with a text, or that it has found nothing; unless another was typed since.
   * @param {string} text
   * @param {string[]} errors
   */
  judge(text, errors) {
    if (text !== this.typed.value) return
    this.#judged = errors
    this.#mark()
    this.showError()
  }

  /** Whether no character can follow, or none usually does. */
  get isFinished() {
    const { isComplete, cardBrand, inputLength = 0 } = this.state ?? {}
    // Who has a longer one goes back to the field.
    return isComplete && !this.#rules?.goesOn(cardBrand, inputLength)
  }

  /**
   * Browsers write what stands in an input into a file, to restore the tab after a crash, unless its `autocomplete` is off. So only an
   * empty one can be filled in.
   */
  #keepFromDisk() {
    this.input.autocomplete = /** @type {any} */ (this.input.value ? 'off' : this.#autocomplete)
  }

  /** Shows what the text is. */
  #mark() {
    this.#keepFromDisk()
    const { isComplete, cardBrand, cardBrandName, last4: digits } = this.state ?? {}
    this.input.toggleAttribute('data-complete', !!isComplete)
    const brand = (this.showBrand && cardBrand !== 'unknown' && cardBrandName) || ''
    if (brand && brand !== this.brand.textContent) this.owner.announce(brand)
    this.brand.textContent = brand
    this.brand.dataset.brand = brand && cardBrand
    this.last4.textContent = (isComplete && digits) || ''
    // In one box, while another field is used. A number of a few digits has no last four.
    this.element.classList.toggle('short', this.last4.textContent !== '')
  }

  /** Shapes and marks again, since the card number or an option has changed. */
  refresh() {
    this.typed.reshape()
    this.#mark()
    // It may be another error now, or none.
    if (this.#isLeft) this.showError()
  }

  /** The code of what is wrong; undefined if nothing is. */
  get #mistake() {
    const { state } = this
    // A file without content is none, but it was chosen.
    if (!state?.isEmpty || this.input.files?.length) return state?.validationErrors[0] ?? (state?.isMaskSatisfied === false ? 'INCOMPLETE' : undefined)
    return state.isRequired || (state.isRequiredValidOnly && !state.isValid) ? 'REQUIRED' : undefined
  }

  /** @param {boolean} [isLeft] False: nothing is said. */
  showError(isLeft = true) {
    this.#isLeft = isLeft
    const code = isLeft ? this.#mistake : undefined
    const text = code === undefined ? '' : textOf(code, this.owner, this.#rules?.field(this.name)?.type)
    // Said again, it would be read again.
    if (this.error.textContent !== text) this.error.textContent = text
    this.input.setAttribute('aria-invalid', String(text !== ''))
    this.box.classList.toggle('invalid', text !== '')
  }

  #refuse() {
    this.#keepFromDisk()
    this.owner.announce(textOf('REFUSED', this.owner))
    this.box.classList.remove('shake')
    // Reading the layout restarts the animation.
    void this.box.offsetWidth
    this.box.classList.add('shake')
  }

  /** The text goes, and the rules with it: nothing is asked of an engine, for which there may be no memory. */
  leave() {
    this.#rules = undefined
    this.clear()
  }

  clear() {
    this.#judged = []
    this.standIn = undefined
    this.isUnfinished = false
    this.typed.reset()
    this.showError(false)
    this.#mark()
  }
}
