// Types of cloakroom.js and cloakroom.mjs, and of the elements that both define.

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
  /** Of a card number: empty until it is finished. */
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

/**
 * Texts of fields by their codes, in place of the built-in ones: the codes of `validationErrors`, which end with `_VALIDATION_ERROR` or are
 * a rule's own `error`, and these.
 */
export interface Messages {
  /** Under a field that must be filled in: Please fill in this field */
  REQUIRED?: string
  /** Under a field whose mask is not filled: This is incomplete */
  INCOMPLETE?: string
  /** Where there is no text for the code: Please check this */
  INVALID?: string
  /** For screen readers, of a character that is not taken: That does not fit here */
  REFUSED?: string
  /** The name of a card without a `label`: Card */
  CARD?: string
  /** The name of a card's first field, if it has no `label`: Card number */
  NUMBER?: string
  /** Of its second: Expiry date */
  EXPIRY?: string
  /** Of its third: Security code */
  CVC?: string
  [code: string]: string | undefined
}

export interface FormOptions {
  /** The gateway's origin, with its scheme; by default that of the script. */
  gateway?: string
  /** What authorizes calls, or a function that fetches one for each call that does not repeat an `idempotencyKey`. Sent as a Bearer token. */
  session?: string | (() => string | Promise<string>)
  /** A language tag; by default the page's. */
  locale?: string
  messages?: Messages
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
  /** Under one key and session the upstream is asked once; the page's calls with one key have one session. One key is for one call: not for `aliases` and `send`, nor for two paths. Without it each send has a new one of its frame's own. */
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
 * a response that is not the gateway's, or that no script can read, as a redirect. After `network`, unless there is a `cause`, and `timeout`,
 * and after the gateway's `requestInProgress` and `answerTooLargeToKeep`, the call may have been done.
 */
export declare class CloakroomError extends Error {
  readonly status?: number
  readonly type: string
  readonly title: string
  readonly detail?: string
  readonly requestId?: string
  readonly code?: number
  /** Why a session was refused, such as `expired`. */
  readonly reason?: string
  readonly fields?: Record<string, FieldState>
  /** What the page's function for the session threw. */
  readonly cause?: unknown
}

export interface CloakroomScript {
  form(id: string, options?: FormOptions): Form
  CloakroomError: typeof CloakroomError
}

export declare const Cloakroom: CloakroomScript
export default Cloakroom

export interface FormElementEventMap extends HTMLElementEventMap {
  'cloakroom-ready': CustomEvent<FormState>
  'cloakroom-change': CustomEvent<FormState>
  'cloakroom-error': CustomEvent<CloakroomError>
}

/** `<cloakroom-form>`. */
export interface FormElement extends HTMLElement {
  /** While the element is in the page. */
  readonly form?: Form
  /** As the option of the same name; else the attribute counts. */
  session?: FormOptions['session']
  addEventListener<Name extends keyof FormElementEventMap>(
    name: Name, listener: (this: FormElement, event: FormElementEventMap[Name]) => any, options?: boolean | AddEventListenerOptions): void
  addEventListener(name: string, listener: EventListenerOrEventListenerObject, options?: boolean | AddEventListenerOptions): void
  removeEventListener<Name extends keyof FormElementEventMap>(
    name: Name, listener: (this: FormElement, event: FormElementEventMap[Name]) => any, options?: boolean | EventListenerOptions): void
  removeEventListener(name: string, listener: EventListenerOrEventListenerObject, options?: boolean | EventListenerOptions): void
}

declare global {
  /** Defined by cloakroom.js. */
  var Cloakroom: CloakroomScript

  interface HTMLElementTagNameMap {
    'cloakroom-form': FormElement
    'cloakroom-field': HTMLElement
    'cloakroom-card': HTMLElement
  }
}
