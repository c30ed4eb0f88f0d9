// Types of cloakroom.js, cloakroom.mjs and engine.mjs.

/** The state of one field: what the gateway's `validate` returns for it. Never what was typed. */
export interface FieldState {
  fieldName: string
  type: 'none' | 'cardNumber' | 'expDate' | 'date' | 'cvc' | 'cardHolderName' | 'ssn' | 'file'
  isRequired: boolean
  isRequiredValidOnly: boolean
  isValid: boolean
  isEmpty: boolean
  isDirty: boolean
  isComplete: boolean
  isMaskSatisfied: boolean
  inputLength: number
  validationErrors: string[]
  /** Errors that only the gateway can find, as it keeps their patterns to itself. */
  undecided?: string[]
  cardBrand?: string
  cardBrandName?: string
  bin?: string
  last4?: string
  redacted: string
  /** In the state of a form in a page. */
  isFocused?: boolean
}

/** What `validate` returns. */
export interface FormState {
  form: string
  isValid: boolean
  isComplete: boolean
  nextField: string | null
  fields: Record<string, FieldState>
}

export interface FormOptions {
  /** The gateway's origin; by default that of the script. */
  gateway?: string
  /** What authorizes calls, or a function that fetches one for each call. Sent as a Bearer token. */
  session?: string | (() => string | Promise<string>)
  /** A language tag; by default the page's. */
  locale?: string
  /** Texts of errors by their codes, in place of the built-in ones. */
  messages?: Record<string, string>
}

/** Allowed properties by state; anything else is ignored with a warning. */
export type Style = Partial<Record<'base' | 'focus' | 'invalid' | 'complete' | 'placeholder', Record<string, string>>>

export interface FieldOptions {
  /** The accessible name. */
  label: string
  placeholder?: string
  style?: Style
  showBrand?: boolean
  disabled?: boolean
  autofocus?: boolean
}

/**
 * A field of the card: its name in the form, or its texts too. By default the first field of its type. `value` is what the page knows
 * of the card already; it is judged like anything typed.
 */
export type CardPart = string | { name?: string; label?: string; placeholder?: string; value?: string }

export interface CardOptions extends Partial<FieldOptions> {
  layout?: 'inline' | 'stacked'
  number?: CardPart
  expiry?: CardPart
  cvc?: CardPart
}

export interface Mountable {
  mount(target: string | Element): Mountable
  unmount(): void
}

export interface Aliases {
  data: Record<string, string>
  aliases: { fieldName: string; alias: string; format: string; storage: string }[]
}

export interface SendOptions {
  /** By default POST. A browser sends no body with GET. */
  method?: 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  extraData?: object
  headers?: Record<string, string>
  idempotencyKey?: string
}

export interface Sent {
  status: number
  headers: Record<string, string>
  /** Parsed if it is JSON, else text. */
  body: unknown
}

export interface FormEvents {
  ready: FormState
  change: FormState
  focus: { name: string }
  blur: { name: string }
  submit: { name: string }
  error: CloakroomError
}

export interface Form {
  readonly state: FormState
  field(name: string, options: FieldOptions): Mountable
  card(options?: CardOptions): Mountable
  /** @returns Removes the listener. */
  on<Name extends keyof FormEvents>(name: Name, listener: (detail: FormEvents[Name]) => void): () => void
  validate(): Promise<FormState>
  aliases(options?: { idempotencyKey?: string }): Promise<Aliases>
  tokens(options?: { idempotencyKey?: string }): Promise<Aliases>
  send(path: string, options?: SendOptions): Promise<Sent>
  focus(name: string): void
  clear(name?: string): void
  update(name: string, options: Partial<FieldOptions>): void
  destroy(): void
}

/**
 * Why a call failed. `type` is that of the problem's `error`; without a response `network`, `timeout` or `blocked`; `unexpectedResponse` for
 * a response that is not the gateway's.
 */
export declare class CloakroomError extends Error {
  readonly status?: number
  readonly type: string
  readonly title: string
  readonly detail: string
  readonly requestId?: string
  readonly code?: number
  /** Why a session was refused, such as `expired`. */
  readonly reason?: string
  readonly fields?: Record<string, FieldState>
}

export interface CloakroomScript {
  form(id: string, options?: FormOptions): Form
  CloakroomError: typeof CloakroomError
}

export declare const Cloakroom: CloakroomScript
export default Cloakroom

declare global {
  /** Defined by cloakroom.js. */
  var Cloakroom: CloakroomScript
}

/** What a field shows while text is typed into it. */
export interface Shape {
  text: string
  /** The text to submit. */
  value: string
  /** In UTF-16 code units of `text`. */
  caret: number
  /** The letters and digits that fit nowhere. */
  refused: string
  /** The literals between the text and the next slot. */
  next: string
  isFull: boolean
  cardBrand?: string
  cardBrandName?: string
}

/** The rules of forms; `engine.mjs` exports it. */
export interface Engine {
  evaluate(description: object, submission: { fields?: Record<string, string>, extraData?: object }, options: { today: string }): FormState
  shape(description: object, field: string, text: string, caret: number, options?: { cardNumber?: string }): Shape
  wipe(): void
}

/** Of `engine.mjs`: loads `engine.wasm`, by default from beside the script. */
export declare function load(bytes?: BufferSource | WebAssembly.Module | Response | Promise<Response>): Promise<Engine>
