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
  /** The letters and digits that fit nowhere. */
  refused: string
  /** The literals between the text and the next slot. */
  next: string
  isFull: boolean
  cardBrand?: string
  cardBrandName?: string
}

/** The rules of forms. */
export interface Engine {
  /** @param options `today`: the day in the form's time zone, as `2026-11-22`. */
  evaluate(
    description: Description, submission: { fields?: Record<string, string>, extraData?: object }, options: { today: string }): FormState
  /** @param options `cardNumber`: for a security code, the text of its card number. */
  shape(description: Description, field: string, text: string, caret: number, options?: { cardNumber?: string }): Shape
  /** Overwrites the memory of the engine, which can be used again afterwards. */
  wipe(): void
}

/** Loads `engine.wasm`, by default from beside the script. */
export declare function load(bytes?: BufferSource | WebAssembly.Module | Response | Promise<Response>): Promise<Engine>
