// Typing (docs/reference/browser.md section 4). The browser edits; what came of it is shaped by the engine, and put back if it fits
// nowhere. Setting the text of an input ends the browser's own undo history, so there is one here.

/** @typedef {import('../Scripts/engine.mjs').Shape} Shape */
/**
 * @typedef {object} Edit
 * @property {string} text What is shown.
 * @property {string} value What is submitted.
 * @property {number} start Of the selection.
 * @property {number} end
 * @property {boolean} isShaped False if `text` holds characters that fit nowhere.
 */

const HISTORY_LIMIT = 200

/** @type {Edit} */
const EMPTY = { text: '', value: '', start: 0, end: 0, isShaped: true }

export class TypedInput {
  #current = EMPTY
  /** The state before the edit that is under way. */
  #before = EMPTY
  /** @type {Edit[]} */
  #undo = []
  /** @type {Edit[]} */
  #redo = []
  /**
   * What stands in the input during a composition; undefined otherwise.
   * @type {string | undefined}
   */
  #composed

  /**
   * @param {HTMLInputElement} input
   * @param {object} owner
   * @param {(text: string, caret: number) => Shape | undefined} owner.shape Undefined while the engine is not there.
   * @param {(isInsertion: boolean, shape?: Shape) => void} owner.changed
   * @param {() => void} owner.refused
   * @param {(text: string) => string} owner.filledIn What to make of a text that the browser has filled in.
   */
  constructor(input, owner) {
    this.input = input
    this.owner = owner
    input.addEventListener('beforeinput', (event) => this.#prepare(event))
    input.addEventListener('input', (event) => {
      if (input.type === 'file') return
      if (this.#composed === undefined) return this.#settle(/** @type {InputEvent} */ (event).inputType ?? '')
      // It counts as it stands there, but is not touched.
      this.#composed = input.value
      owner.changed(false)
    })
    // A composition is the browser's until it ends.
    input.addEventListener('compositionstart', () => {
      this.#remember()
      this.#composed = input.value
    })
    // Some browsers end one without a word when the field is left.
    for (const end of ['compositionend', 'blur']) {
      input.addEventListener(end, () => {
        const composed = this.#composed
        if (composed === undefined) return
        this.#composed = undefined
        this.#settle('insertText')
        // It does not fit.
        if (composed !== this.text) owner.changed(false)
      })
    }
    input.addEventListener('keydown', (event) => this.#key(event))
  }

  get text() {
    return this.#current.text
  }

  get value() {
    return this.#composed ?? this.#current.value
  }

  get isAtEnd() {
    return this.input.selectionStart === this.input.value.length
  }

  /**
   * Sets the text, which is not an edit.
   * @param {string} text
   */
  reset(text = '') {
    text = text.replace(/\p{Surrogate}/gu, '\ufffd')
    this.#undo = []
    this.#redo = []
    // A browser says nothing of the end of a composition whose text was taken away.
    this.#composed = undefined
    const shape = this.owner.shape(text, text.length)
    this.#take(this.#shaped(text, text.length, shape))
  }

  /**
   * Takes the content of a file, which is not shaped.
   * @param {string} value
   */
  take(value) {
    this.#current = { ...EMPTY, text: value, value }
    this.owner.changed(false)
  }

  /** Shapes the text again, since what decides on it has changed. */
  reshape() {
    if (this.#composed !== undefined || !this.#current.text || this.input.type === 'file') return
    const { value, text } = this.#current
    const caret = this.#caret
    const from = this.#current.isShaped ? text : value
    const edit = this.#shaped(from, Math.min(caret, from.length), this.owner.shape(from, caret))
    // What is selected stays so.
    this.#take(edit.text === this.input.value ? this.#selected(edit) : edit)
  }

  get #caret() {
    return this.input.selectionStart ?? this.input.value.length
  }

  /** @param {Edit} edit With what is selected now. */
  #selected(edit) {
    const { selectionStart, selectionEnd } = this.input
    return { ...edit, start: selectionStart ?? 0, end: selectionEnd ?? 0 }
  }

  #remember() {
    this.#before = this.#selected(this.#current)
  }

  /** @param {InputEvent} event */
  #prepare(event) {
    if (/^history/.test(event.inputType)) {
      event.preventDefault()
      this.#step(event.inputType === 'historyUndo')
    } else if (this.#composed === undefined) this.#remember()
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    // Some browsers announce what they fill in by a keydown without a key.
    const key = event.key?.toLowerCase()
    if (event.altKey || !(event.ctrlKey || event.metaKey) || (key !== 'z' && key !== 'y')) return
    event.preventDefault()
    this.#step(key === 'z' && !event.shiftKey)
  }

  /** @param {boolean} isUndo */
  #step(isUndo) {
    // A composition would go on in another text than it began in.
    if (this.#composed !== undefined) return
    const [from, to] = isUndo ? [this.#undo, this.#redo] : [this.#redo, this.#undo]
    const edit = from.pop()
    if (!edit) return
    this.#remember()
    to.push(this.#before)
    this.#take(edit)
    this.owner.changed(false)
  }

  /**
   * Handles what the browser has made of the text.
   * @param {string} kind The `inputType`; empty if a program has filled the field in.
   */
  #settle(kind) {
    // Half a character, of which there is no JSON, shows as what it is.
    let text = this.input.value.replace(/\p{Surrogate}/gu, '\ufffd')
    if (text === this.#current.text) return
    // Only a program leaves the kind empty; it knows the value, but not always the form in which it is asked for.
    if (!kind) text = this.owner.filledIn(text)
    if (this.#before.text !== this.#current.text) this.#remember()
    const isDeletion = kind.startsWith('delete')
    const caret = Math.min(this.#caret, text.length)
    const isTyped = kind === 'insertText'
    const whole = isDeletion ? this.#shapeDeletion(kind, text, caret) : this.owner.shape(text, caret)
    // A literal that was typed at the end stays, one that was pasted does not.
    const shape = isTyped ? whole : this.#bare(whole)
    // Nothing is lost: an insertion that leaves no room for a character does not take place. Where some have none already, as after a
    // change of the brand, no other joins them.
    const held = this.#before.isShaped ? undefined : this.owner.shape(this.#before.text, 0)
    const isInsertion = shape !== undefined && !isDeletion
    const isRefused = isInsertion && !holds(held?.refused ?? '', shape.refused)
    const isSame = held ? shape?.value === held.value && shape.refused === held.refused : shape?.text === this.#before.text
    const isIdle = isInsertion && !isRefused && isSame && text.length > (held ? this.#before : shape).text.length
    if (isRefused || isIdle) {
      this.#take(this.#before)
      // A separator that is there already is no mistake.
      if (isRefused || bare(text) !== bare(this.#before.text)) this.owner.refused()
      return
    }
    if (this.#undo.push(this.#before) > HISTORY_LIMIT) this.#undo.shift()
    this.#redo = []
    this.#take(this.#shaped(text, caret, shape))
    this.owner.changed(!isDeletion, shape)
  }

  /**
   * A deletion that took literals alone takes the character beside them too; else they would come back at once.
   * @param {string} kind @param {string} text @param {number} caret
   * @returns {Shape | undefined}
   */
  #shapeDeletion(kind, text, caret) {
    const { owner } = this
    let shape = owner.shape(text, caret)
    if (!shape || shape.refused) return shape
    const isForward = kind.includes('Forward')
    while (shape && shape.value === this.#before.value && (isForward ? caret < text.length : caret > 0)) {
      let [head, tail] = [text.slice(0, caret), text.slice(caret)]
      if (isForward) tail = tail.replace(/^./su, '')
      else head = head.replace(/.$/su, '')
      text = head + tail
      caret = head.length
      shape = owner.shape(text, caret)
    }
    return shape
  }

  /**
   * Without the literals at the end, if the caret stands there.
   * @param {Shape | undefined} shape
   */
  #bare(shape) {
    if (!shape || shape.refused || shape.caret < shape.text.length) return shape
    const bare = this.owner.shape(shape.value, shape.value.length)
    return bare && bare.value === shape.value ? bare : shape
  }

  /** @param {string} text @param {number} caret @param {Shape} [shape] @returns {Edit} */
  #shaped(text, caret, shape) {
    if (!shape || shape.refused) return { text, value: text, start: caret, end: caret, isShaped: !shape }
    return { text: shape.text, value: shape.value, start: shape.caret, end: shape.caret, isShaped: true }
  }

  /** @param {Edit} edit */
  #take(edit) {
    const { input } = this
    this.#current = edit
    this.#before = edit
    if (input.value !== edit.text) input.value = edit.text
    // In some browsers a selection would take the focus.
    if (document.activeElement === input && input.type !== 'file') input.setSelectionRange(edit.start, edit.end)
  }
}

/**
 * Whether a text has all characters of another, each as often.
 * @param {string} text
 * @param {string} other
 */
function holds(text, other) {
  for (const character of other) {
    if (!text.includes(character)) return false
    text = text.replace(character, '')
  }
  return true
}

/** @param {string} text Without separators. */
const bare = (text) => text.replace(/[\s./-]/g, '')
