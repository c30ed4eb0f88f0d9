// What pages write in TypeScript, and that the modules have what their types promise. Compiled, not run (typings.py).
import { Cloakroom, CloakroomError } from '../../Sources/Elements/Types/cloakroom'
import { load } from '../../Sources/Elements/Types/engine'
import type * as CloakroomTypes from '../../Sources/Elements/Types/cloakroom'
import type * as EngineTypes from '../../Sources/Elements/Types/engine'
import * as cloakroomModule from '../../Sources/Elements/Page/cloakroom.mjs'
import * as engineModule from '../../Sources/Elements/Scripts/engine.mjs'

// Each export that is declared is there. Of what it can do the types say more than those of the sources.
export const names: Record<keyof typeof CloakroomTypes, unknown> = cloakroomModule
export const engine: typeof EngineTypes = engineModule

// The state that the engine gives is that of a page's form.
export const page: CloakroomTypes.FormState = {} as EngineTypes.FormState
export const alone: EngineTypes.FormState = {} as CloakroomTypes.FormState

const element = document.querySelector('cloakroom-form')
if (element) {
  element.session = async () => (await fetch('/session')).text()
  element.addEventListener('cloakroom-error', ({ detail }) => console.log(detail.status, detail.fields?.cvc?.isEmpty))
  element.addEventListener('cloakroom-change', function ({ detail }) { this.hidden = detail.isValid })
  element.addEventListener('click', ({ clientX }) => clientX)
  element.form?.focus('cvc')
}
document.createElement('cloakroom-card').hidden = true

const messages = { REQUIRED: 'Fyll i fältet', CARD_NUMBER_VALIDATION_ERROR: 'Kontrollera kortnumret', OWN_CODE: 'Nej' }
const form = Cloakroom.form('checkout', { locale: 'sv', messages })
form.on('error', (error) => error instanceof CloakroomError && error.reason)
// @ts-expect-error: a text, not a number
Cloakroom.form('checkout', { messages: { INVALID: 1 } })

export async function verdict(description: EngineTypes.Description): Promise<boolean> {
  return (await load()).evaluate(description, { fields: { cvc: '123' } }, { today: '2026-11-22' }).isValid
}
