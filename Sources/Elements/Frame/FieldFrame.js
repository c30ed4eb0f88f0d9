import { InputFrame } from './InputFrame.js'

/** A frame with one field. */
export class FieldFrame extends InputFrame {
  start() {
    this.show(this.inputs[0].element)
  }
}
