// Typing (docs/reference/browser.md section 4). The browser edits; what came of it is shaped by the engine, and put back if it fits
// nowhere. Setting the text of an input ends the browser's own undo history, so there is one here.

/** @typedef {import('../Scripts/engine.mjs').Shape} Shape */
/**
 * @typedef {object} Edit
 * @property {string} text What is shown.
 * @property {string} value What is submitted.
 * @property {number} from Of the selection.
 * @property {number} to
 * @property {string} [refused] What finds no place. Undefined if the text was typed before the engine was there to shape it.
 */

const HISTORY_LIMIT = 200

/** @type {Edit} */
const EMPTY = { text: '', value: '', from: 0, to: 0 }

export class TypedInput {
  #current = EMPTY
  /** The state before the edit that is under way. */
  #before = EMPTY
  /** @type {Edit[]} */
  #undo = []
  /** @type {Edit[]} */
  #redo = []
  /**
   * What would be submitted during a composition; undefined otherwise.
   * @type {string | undefined}
   */
  #composed

  /**
   * @param {HTMLInputElement} input
   * @param {object} owner
   * @param {(text: string, caret: number, edit: object) => Shape | undefined} owner.shape Undefined while the engine is not there.
   * @param {(isInsertion: boolean) => void} owner.changed
   * @param {() => void} owner.refused
   * @param {(text: string) => string} owner.filledIn What to make of a text that the browser has filled in.
   */
  constructor(input, owner) {
    this.input = input
    this.owner = owner
    input.addEventListener('beforeinput', (event) => this.#prepare(event))
    input.addEventListener('input', (event) => {
      if (input.type === 'file') return
      if (this.#composed === undefined) {
        const { inputType, data } = /** @type {InputEvent} */ (event)
        // What it has taken the place of. Chromium does not announce what a command inserts, and a drop goes elsewhere than the selection.
        if (data && input.value.endsWith(data, this.#caret)) {
          this.#before = { ...this.#current, from: this.#caret - data.length, to: this.text.length - input.value.length + this.#caret }
        }
        return this.#settle(inputType ?? '')
      }
      // It counts as it stands there, but is not touched.
      this.#composed = this.#shape(input.value, this.#before).value
      owner.changed(false)
    })
    // A composition is the browser's until it ends.
    input.addEventListener('compositionstart', () => {
      this.#remember()
      this.#composed = this.value
    })
    // Some browsers end one without a word when the field is left.
    for (const end of ['compositionend', 'blur']) {
      input.addEventListener(end, () => {
        const composed = this.#composed
        if (composed === undefined) return
        this.#composed = undefined
        this.#settle('insertText', true)
        // Some keep open what was composed, and the next composition would replace it.
        if (end === 'blur') {
          input.value = ''
          input.value = this.#current.text
        }
        // It does not fit.
        if (composed !== this.value) owner.changed(false)
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
    this.#undo = []
    this.#redo = []
    // A browser says nothing of the end of a composition whose text was taken away.
    this.#composed = undefined
    this.#take(this.#shape(text, EMPTY, text.length))
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
    const { text, refused } = this.#current
    const from = this.#caret
    const edit = this.#shape(text, refused === undefined ? EMPTY : { ...this.#current, from, to: from })
    // What is selected stays so.
    this.#take(edit.text === this.input.value ? this.#selected(edit) : edit)
  }

  get #caret() {
    return this.input.selectionEnd ?? this.input.value.length
  }

  /** @param {Edit} edit With what is selected now. */
  #selected(edit) {
    const { selectionStart, selectionEnd } = this.input
    return { ...edit, from: selectionStart ?? 0, to: selectionEnd ?? 0 }
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
   * @param {boolean} [isComposed]
   */
  #settle(kind, isComposed) {
    const { owner } = this
    // Only a program leaves the kind empty; it knows the value, but not always the form in which it is asked for.
    const text = kind ? this.input.value : owner.filledIn(this.input.value)
    const before = this.#before
    const edit = this.#shape(text, kind ? before : EMPTY, this.#caret, isComposed)
    // What is typed over by the same may have been input that had no place, and is a literal now. A program has changed nothing.
    if (this.input.value === before.text && (!kind || edit.value === before.value)) return
    const isDeletion = kind.startsWith('delete')
    const isSame = edit.text === before.text
    // Nothing is lost: what leaves no room for a character does not take place. Of a composition, what finds a place is taken.
    const isRefused = edit.refused && (isSame || !isComposed)
    if (isRefused || (!isDeletion && isSame && text.length > edit.text.length)) {
      this.#take(before)
      // A separator that is there already is no mistake.
      if (isRefused || bare(text) !== bare(before.text)) owner.refused()
      return
    }
    if (this.#undo.push(before) > HISTORY_LIMIT) this.#undo.shift()
    this.#redo = []
    this.#take(edit)
    if (edit.refused) owner.refused()
    owner.changed(!isDeletion)
  }

  /**
   * @param {string} text What stands in the input now.
   * @param {Edit} before
   * @param {number} [caret]
   * @param {boolean} [isComposed]
   * @returns {Edit}
   */
  #shape(text, before, caret = this.#caret, isComposed) {
    // Half a character, of which there is no JSON, shows as what it is.
    text = text.replace(/\p{Surrogate}/gu, '\ufffd')
    const { caret: from, ...shape } = this.owner.shape(text, caret, { ...before, isComposed }) ?? { text, value: text, caret }
    return { ...shape, from, to: from }
  }

  /** @param {Edit} edit */
  #take(edit) {
    const { input } = this
    this.#current = edit
    this.#before = edit
    if (input.value !== edit.text) input.value = edit.text
    // In some browsers a selection would take the focus.
    if (document.activeElement === input && input.type !== 'file') input.setSelectionRange(edit.from, edit.to)
  }
}

/** @param {string} text Without separators. */
const bare = (text) => text.replace(/[\s./-]/g, '')
