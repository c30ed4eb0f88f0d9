import { make } from './HostedInput.js'
import { InputFrame } from './InputFrame.js'
import { textOf } from './messages.js'

/** @typedef {import('./HostedInput.js').HostedInput} HostedInput */

/** A frame with the three fields of a card, in one box or in rows (docs/reference/browser.md section 2). */
export class CardFrame extends InputFrame {
  #label

  /** @param {import('./incoming.js').Init} init @param {MessagePort} port @param {import('./Peer.js').Peer} peer */
  constructor(init, port, peer) {
    super(init, port, peer)
    this.#label = init.label
  }

  get title() {
    return textOf('CARD', this)
  }

  start() {
    const options = { className: this.isInline ? 'card inline box' : 'card', 'aria-label': this.#label || this.title }
    const card = make('div', options, ...this.inputs.map(({ element }) => element))
    card.setAttribute('role', 'group')
    this.show(this.isInline ? make('div', {}, card, make('div', {}, ...this.inputs.map(({ error }) => error))) : card)
    for (const [index, { input }] of this.inputs.entries()) input.addEventListener('keydown', (event) => this.#back(event, index))
  }

  /**
   * A finished field moves on to the next.
   * @param {HostedInput} input
   * @param {boolean} isInsertion
   */
  typed(input, isInsertion) {
    super.typed(input, isInsertion)
    const index = this.inputs.indexOf(input)
    if (index === 0) this.inputs[2].refresh()
    // What is filled in by the browser is not typed here, and nothing moves.
    const isTyped = document.activeElement === input.input && input.typed.isAtEnd
    if (isInsertion && isTyped && input.isFinished) this.#beside(index, 1)?.focus()
  }

  /**
   * The next input that can be used, or the one before.
   * @param {number} index
   * @param {1 | -1} step
   */
  #beside(index, step) {
    do index += step
    while (this.inputs[index]?.element.hidden || this.inputs[index]?.input.disabled)
    return this.inputs[index]?.input
  }

  /**
   * Backspace in an empty field moves back.
   * @param {KeyboardEvent} event
   * @param {number} index
   */
  #back(event, index) {
    const previous = this.#beside(index, -1)
    if (event.key !== 'Backspace' || !previous || this.inputs[index].typed.text) return
    event.preventDefault()
    previous.focus()
    previous.setSelectionRange(previous.value.length, previous.value.length)
  }
}
