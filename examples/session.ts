// The session of the README with fetch, for browsers and Node (compiled by tsc, or run by a Node that reads TypeScript): validate,
// aliases, send, reveal. In a page the credential is a session (`Bearer`) that the shop's server has asked for; Basic is for backends.
export interface FieldState {
  fieldName: string
  isValid: boolean
  validationErrors: string[]
  cardBrand?: string
  last4?: string
}

export interface FormState {
  form: string
  isValid: boolean
  nextField: string | null
  fields: Record<string, FieldState>
}

export interface CreatedAliases {
  data: Record<string, string>
  aliases: { fieldName: string; alias: string; format: string; storage: 'PERSISTENT' | 'VOLATILE' }[]
}

/** An error response (RFC 9457), with the states of the fields if the form refuses them. */
export interface Problem {
  type: string
  status: number
  detail: string
  requestId: string
  error: { domain: string; code: number; type: string }
  fields?: Record<string, FieldState>
}

export class CloakroomError extends Error {
  constructor(readonly problem: Problem) {
    super(`${problem.status} ${problem.error.type}: ${problem.detail} (${problem.requestId})`)
  }
}

export class Cloakroom {
  constructor(readonly gateway: string, readonly authorization?: string) {}

  validate(form: string, fields: Record<string, string>): Promise<FormState> {
    return this.call('POST', `/v1/forms/${form}/validate`, { fields })
  }

  /** With a key a repetition gets the first response again. */
  aliases(form: string, fields: Record<string, string>, key?: string): Promise<CreatedAliases> {
    return this.call('POST', `/v1/forms/${form}/aliases`, { fields }, key)
  }

  send(form: string, path: string, fields: Record<string, string>, extraData = {}, key?: string): Promise<Record<string, unknown>> {
    return this.call('POST', `/v1/forms/${form}/send/${path}`, { fields, extraData }, key)
  }

  reveal(alias: string): Promise<{ data: { value: string }[] }> {
    return this.call('GET', `/aliases/${encodeURIComponent(alias)}`)
  }

  private async call<Body>(method: string, path: string, body?: unknown, key?: string): Promise<Body> {
    const headers: Record<string, string> = {}
    if (body !== undefined) headers['Content-Type'] = 'application/json'
    if (this.authorization !== undefined) headers['Authorization'] = this.authorization
    if (key !== undefined) headers['Idempotency-Key'] = key
    const response = await fetch(this.gateway + path, { method, headers, body: body === undefined ? null : JSON.stringify(body), credentials: 'omit' })
    const json: unknown = await response.json()
    if (!response.ok) throw new CloakroomError(json as Problem)
    return json as Body
  }
}

export async function session(gateway: string): Promise<string> {
  const card = { card_number: '4111 1111 1111 1111', card_holder: 'Joe Business', exp_date: '12/30', cvc: '123' }
  const cloakroom = new Cloakroom(gateway, `Basic ${btoa('dev:dev-secret')}`)
  const state = await cloakroom.validate('checkout', card)
  const made = await cloakroom.aliases('checkout', card, crypto.randomUUID())
  const alias = made.data['card_number']
  if (!state.isValid || alias === undefined) throw new Error('no alias')
  const sent = await cloakroom.send('checkout', 'orders', card, { order: 17 })
  const revealed = await cloakroom.reveal(alias)
  if (sent['card_number'] !== alias || revealed.data[0]?.value !== '4111111111111111') throw new Error('not the same card')
  try {
    await cloakroom.aliases('checkout', { card_number: '4111' })
  } catch (error) {
    if (error instanceof CloakroomError && error.problem.error.type === 'inputDataIsNotValid') return 'done'
    throw error
  }
  throw new Error('an invalid card was taken')
}
