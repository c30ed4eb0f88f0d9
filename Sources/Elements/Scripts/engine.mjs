// The rules of forms, as the gateway itself applies them: its own sources, compiled to WebAssembly. No DOM, no clock, no network but
// for loading the module. Runs in browsers, workers and Node.

/**
 * A form as `GET /v1/forms/{form}` describes it.
 * @typedef {{ schema: object }} Description
 */
/**
 * The state of one field.
 * @typedef {object} FieldState
 * @property {string} fieldName
 * @property {'none' | 'cardNumber' | 'expDate' | 'date' | 'cvc' | 'cardHolderName' | 'ssn' | 'file'} type
 * @property {boolean} isRequired
 * @property {boolean} isRequiredValidOnly
 * @property {boolean} isValid
 * @property {boolean} isEmpty
 * @property {boolean} isDirty
 * @property {boolean} isComplete
 * @property {boolean} isMaskSatisfied
 * @property {number} inputLength
 * @property {string[]} validationErrors
 * @property {string[]} [undecided] Errors that only the gateway can find, as it keeps their patterns to itself.
 * @property {string} [cardBrand]
 * @property {string} [cardBrandName]
 * @property {string} [bin]
 * @property {string} [last4]
 * @property {string} redacted
 */
/**
 * What `POST /v1/forms/{form}/validate` returns.
 * @typedef {object} Verdict
 * @property {string} form
 * @property {boolean} isValid
 * @property {boolean} isComplete
 * @property {string | null} nextField
 * @property {Record<string, FieldState>} fields
 */
/**
 * What a field shows while text is typed into it.
 * @typedef {object} Shape
 * @property {string} text The text to show.
 * @property {string} value The characters in the slots as they were typed, which is the text to submit.
 * @property {number} caret Where the caret belongs, in UTF-16 code units of `text`.
 * @property {string} refused What finds no place.
 * @property {string} next The literals between the text and the next slot.
 * @property {boolean} isFull Whether every slot is filled.
 * @property {string} [cardBrand]
 * @property {string} [cardBrandName]
 */
/**
 * @typedef {object} Exports
 * @property {WebAssembly.Memory} memory
 * @property {(count: number) => number} allocate
 * @property {(block: number) => void} release
 * @property {() => number} result
 * @property {() => void} forget
 * @property {() => void} wipe_stack
 * @property {(start: number, count: number) => number} load
 * @property {(form: number) => void} unload
 * @property {(form: number, start: number, count: number, year: number, month: number, day: number) => number} evaluate
 * @property {(form: number, start: number, count: number) => number} shape
 */

/** Forms that are kept loaded; beyond that the one that was used longest ago is unloaded. */
const KEPT_FORMS = 16

const encoder = new TextEncoder()
// A byte order mark is a character like any other.
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/**
 * The functions that an instance imports: its regular expressions, which it calls by number.
 * @param {() => WebAssembly.Memory} memory The one that it has now: growing detaches the buffer.
 */
function patterns(memory) {
  /** @type {RegExp[]} */
  const compiled = []

  /** @param {number} start @param {number} count */
  const textAt = (start, count) => decoder.decode(new Uint8Array(memory().buffer, start, count))

  /** @param {number} start @param {number} count @param {number} isWhole @param {number} groups */
  function compile(start, count, isWhole, groups) {
    const source = textAt(start, count)
    try {
      const number = /** @type {RegExpExecArray} */ (new RegExp(source + '|', 'u').exec('')).length - 1
      const flags = number > 0 && !isWhole ? 'dgu' : 'gu'
      const expression = new RegExp(isWhole ? `^(?:${source})$` : source, flags)
      new DataView(memory().buffer).setInt32(groups, number, true)
      return compiled.push(expression) - 1
    } catch {
      return -1
    }
  }

  /**
   * @param {number} pattern @param {number} start @param {number} count @param {number} from
   * @param {number} ranges @param {number} rangeCount
   */
  function match(pattern, start, count, from, ranges, rangeCount) {
    try {
      const text = textAt(start, count)
      const expression = compiled[pattern]
      const offsets = text.length === count ? null : byteOffsets(text)
      expression.lastIndex = offsets ? offsets.indexOf(from) : from
      const match = expression.exec(text)
      if (!match) return 0
      const view = new DataView(memory().buffer)
      /** @type {([number, number] | undefined)[]} */
      const found = /** @type {any} */ (match).indices ?? [[match.index, match.index + match[0].length]]
      for (let group = 0; 2 * group + 1 < rangeCount; group++) {
        const range = found[group]
        for (const end of [0, 1]) {
          const index = range ? range[end] : -1
          view.setInt32(ranges + 4 * (2 * group + end), index < 0 ? -1 : offsets ? offsets[index] : index, true)
        }
      }
      return 1
    } catch {
      return -1
    }
  }

  return { compile, match }
}

/**
 * For each UTF-16 index of a text and its end, the offset in UTF-8.
 * @param {string} text
 */
function byteOffsets(text) {
  const offsets = []
  let offset = 0
  for (const character of text) {
    const code = /** @type {number} */ (character.codePointAt(0))
    offsets.push(offset)
    // Within a surrogate pair there is no offset.
    if (code > 0xffff) offsets.push(-1)
    offset += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4
  }
  offsets.push(offset)
  return offsets
}

/** The rules of forms. Made by `load`. */
export class Engine {
  #module
  /** @type {Exports | null} */
  #exports = null
  /**
   * The number of each form that is loaded, by its description; the one that was used last at the end.
   * @type {Map<Description, number>}
   */
  #forms = new Map()

  /** @param {WebAssembly.Module} module */
  constructor(module) {
    this.#module = module
  }

  /**
   * What `POST /v1/forms/{form}/validate` returns for the form that is described.
   * @param {Description} description
   * @param {{ fields?: Record<string, string>, extraData?: object }} submission
   * @param {{ today: string }} options `today`: the day in the form's time zone, `YYYY-MM-DD`.
   * @returns {Verdict}
   */
  evaluate(description, submission, options) {
    return JSON.parse(this.evaluateText(description, JSON.stringify(submission), options))
  }

  /**
   * The same as JSON text, in which members whose names are numbers keep their place.
   * @param {Description} description
   * @param {string} submission JSON text, the body of `validate`.
   * @param {{ today: string }} options
   * @returns {string}
   */
  evaluateText(description, submission, { today }) {
    const date = /^(\d{4})-(\d\d)-(\d\d)$/.exec(today)
    if (!date) throw new TypeError('today must be a day as YYYY-MM-DD')
    return this.#call(description, submission, (exports, form, start, count) =>
      exports.evaluate(form, start, count, Number(date[1]), Number(date[2]), Number(date[3]))
    )
  }

  /**
   * What a field shows while text is typed into it.
   * @param {Description} description
   * @param {string} field Its name.
   * @param {string} text The text in the field, as typed or as shaped before.
   * @param {number} caret In UTF-16 code units of `text`.
   * @param {{ cardNumber?: string, edit?: object }} [options] `cardNumber`: for a CVC, the text of its card number. `edit`: what stood
   *   there before.
   * @returns {Shape}
   */
  shape(description, field, text, caret, options) {
    const input = JSON.stringify({ ...options, field, text, caret: Math.trunc(caret) || 0 })
    return JSON.parse(
      this.#call(description, input, (exports, form, start, count) => exports.shape(form, start, count))
    )
  }

  /** Overwrites the engine's whole memory. It can be used again afterwards, with memory of its own. */
  wipe() {
    if (this.#exports) new Uint8Array(this.#exports.memory.buffer).fill(0)
    this.#exports = null
    this.#forms.clear()
  }

  /** The running instance. */
  #instance() {
    if (this.#exports) return this.#exports
    /** @type {WebAssembly.Instance} */
    const instance = new WebAssembly.Instance(this.#module, { host: patterns(() => exports.memory) })
    const exports = /** @type {Exports} */ (/** @type {unknown} */ (instance.exports))
    return (this.#exports = exports)
  }

  /**
   * @param {Description} description @param {string} input
   * @param {(exports: Exports, form: number, start: number, count: number) => number} call
   */
  #call(description, input, call) {
    try {
      const exports = this.#instance()
      const form = this.#form(exports, description)
      const count = this.#pass(exports, input, (start, count) => call(exports, form, start, count))
      return this.#read(exports, count)
    } catch (error) {
      // A trap, as when memory is exhausted, leaves the instance in an unknown state.
      if (error instanceof WebAssembly.RuntimeError || error instanceof RangeError) this.wipe()
      throw error
    }
  }

  /**
   * The number of the described form.
   * @param {Exports} exports
   * @param {Description} description
   */
  #form(exports, description) {
    const number = this.#forms.get(description) ?? this.#pass(exports, JSON.stringify(description.schema), exports.load)
    this.#forms.delete(description)
    this.#forms.set(description, number)
    if (this.#forms.size > KEPT_FORMS) {
      const [[oldest, last]] = this.#forms
      exports.unload(last)
      this.#forms.delete(oldest)
    }
    return number
  }

  /**
   * Passes a text to an export.
   * @param {Exports} exports
   * @param {string} input
   * @param {(start: number, count: number) => number} call
   * @returns {number} What it returned, which is not negative.
   */
  #pass(exports, input, call) {
    const bytes = encoder.encode(input)
    const start = exports.allocate(bytes.length)
    new Uint8Array(exports.memory.buffer).set(bytes, start)
    bytes.fill(0)
    const status = call(start, bytes.length)
    exports.release(start)
    exports.wipe_stack()
    if (status < 0) throw new Error(this.#read(exports, -1 - status))
    return status
  }

  /**
   * The text that the last call left, which is wiped.
   * @param {Exports} exports
   * @param {number} count
   */
  #read(exports, count) {
    // Growing detaches the buffer, so the view is made after the call.
    const text = decoder.decode(new Uint8Array(exports.memory.buffer, exports.result(), count))
    exports.forget()
    return text
  }
}

/**
 * Loads the engine.
 * @param {BufferSource | WebAssembly.Module | Response | Promise<Response>} [bytes] `engine.wasm`; by default it is fetched from
 *   beside this file and compiled while it arrives.
 * @returns {Promise<Engine>}
 */
export async function load(bytes) {
  if (bytes instanceof WebAssembly.Module) return new Engine(bytes)
  if (ArrayBuffer.isView(bytes) || bytes instanceof ArrayBuffer) return new Engine(await WebAssembly.compile(bytes))
  const url = new URL('engine.wasm', import.meta.url)
  if (!bytes && url.protocol === 'file:') {
    // Node does not fetch files.
    const files = await import(/** @type {string} */ ('node:fs/promises'))
    return new Engine(await WebAssembly.compile(await files.readFile(url)))
  }
  return new Engine(await WebAssembly.compileStreaming(bytes ?? fetch(url)))
}
