// The session of the README, with the client that `generated-typescript` makes beside a copy of this file.
import { Configuration, CreateTokenGrantTypeEnum, FormsApi, ResponseError, SessionsApi, VaultApi } from './made'

export async function session(gateway: string): Promise<string> {
  const stranger = new Configuration({ basePath: gateway })
  const dev = new Configuration({ basePath: gateway, username: 'dev', password: 'dev-secret' })
  const fields = { card_number: '4111 1111 1111 1111', card_holder: 'Joe Business', exp_date: '12/30', cvc: '123' }

  const { forms } = await new FormsApi(stranger).listForms()
  expect(forms.some(({ form }) => form === 'checkout'), 'the form is listed')
  const state = await new FormsApi(stranger).checkoutValidate({ checkoutDraft: { fields } })
  const number = state.fields.card_number
  expect(state.isValid && state.nextField === null && number.cardBrand === 'visa' && number.last4 === '1111', 'the card is valid')

  const token = await new SessionsApi(dev).createToken({ grantType: CreateTokenGrantTypeEnum.ClientCredentials })
  expect(token.token_type === 'Bearer' && token.expires_in > 0, 'the credential gets a token')
  const description = await new FormsApi(stranger).checkoutDescribe()
  const expiry = description.fields.find(({ fieldName }) => fieldName === 'exp_date')
  expect(expiry?.inputDateFormat === 'shortYear' && expiry.enterKeyHint === 'next', 'the form is described')

  const made = await new FormsApi(dev).checkoutAliases({ checkoutSubmission: { fields }, idempotencyKey: crypto.randomUUID() })
  const alias = made.data.card_number
  expect(made.aliases.some((item) => item.fieldName === 'card_number' && item.alias === alias), 'the card has an alias')
  const sent = await new FormsApi(stranger).checkoutSendPost({
    path: 'orders', checkoutSubmission: { fields, extraData: { order: 17 } },
  }) as Record<string, unknown>
  expect(sent.order === 17 && sent.card_number === alias, 'the upstream gets the alias')
  const revealed = await new VaultApi(dev).revealAlias({ alias })
  expect(revealed.data[0].value === '4111111111111111', 'the alias stands for the card')

  try {
    await new FormsApi(dev).checkoutAliases({ checkoutSubmission: { fields: { ...fields, card_number: '4111' } } })
  } catch (error) {
    if (!(error instanceof ResponseError)) throw error
    const problem = await error.response.json()
    expect(error.response.status === 422 && problem.error.type === 'inputDataIsNotValid', 'the refusal says why')
    return 'done'
  }
  throw new Error('an invalid card was taken')
}

function expect(holds: boolean, what: string): void {
  if (!holds) throw new Error(`not so: ${what}`)
}
