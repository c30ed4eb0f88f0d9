// Types of engine.mjs. The states that it returns are those of cloakroom.d.ts, which stands beside this file.

import type { FieldState, FormState } from './cloakroom.js'

export type { FieldState, FormState }

/** A form as `GET /v1/forms/{form}` describes it. */
export interface Description {
  schema: object
}

/** What a field shows while text is typed into it. */
export interface Shape {
  text: string
  /** The text to submit. */
  value: string
  /** In UTF-16 code units of `text`. */
  caret: number
  /** What finds no place: letters and digits; after an edit also characters that would have to leave their slots. */
  refused: string
  /** The literals between the text and the next slot. */
  next: string
  isFull: boolean
  cardBrand?: string
  cardBrandName?: string
}

/** What a field showed and held before its text was changed. */
export interface Edit {
  text: string
  value: string
  /** The selection, in UTF-16 code units of `text`. */
  from: number
  to: number
  /** Whether an input method has composed what was put in: what finds no place is left out then. Otherwise the text stands as before if
   * any is `refused`. */
  isComposed?: boolean
}

/** The rules of forms. */
export interface Engine {
  /** @param options `today`: the day in the form's time zone, as `2026-11-22`. */
  evaluate(
    description: Description, submission: { fields?: Record<string, string>, extraData?: object }, options: { today: string }): FormState
  /**
   * @param options `cardNumber`: for a security code, the text of its card number. `edit`: what stood there before; without it, `text`
   *   is read as a whole, in which literals are recognised only where all of them stand.
   */
  shape(description: Description, field: string, text: string, caret: number, options?: { cardNumber?: string, edit?: Edit }): Shape
  /** Overwrites the memory of the engine, which can be used again afterwards. */
  wipe(): void
}

/** Loads `engine.wasm`, by default from beside the script. */
export declare function load(bytes?: BufferSource | WebAssembly.Module | Response | Promise<Response>): Promise<Engine>
