// A shop's page, and beside it all that the shop ever sees. The page is of another origin than the fields: 127.0.0.1 and localhost are
// two sites.

/** @typedef {import('../Types/cloakroom.js').Form} Form */

const gateway = `${location.protocol}//${location.hostname === 'localhost' ? '127.0.0.1' : 'localhost'}:${location.port}`

/** @param {string} id @returns {any} */
const element = (id) => document.getElementById(id)

/** @type {Form | undefined} */
let form

/**
 * @param {string} tag
 * @param {string} [text]
 * @param {Node[]} children
 */
function make(tag, text = '', ...children) {
  const made = document.createElement(tag)
  made.textContent = text
  made.append(...children)
  return made
}

/** @param {any} value */
const pretty = (value) => JSON.stringify(value, undefined, 2)

/** Shows the chosen form. */
async function show() {
  form?.destroy()
  element('fields').replaceChildren()
  element('aliases').textContent = 'Pay to get them.'
  element('body').textContent = 'Pay to send it.'
  const id = element('form').value
  const description = await (await fetch('/v1/forms/' + id)).json()
  const shown = (form = globalThis.Cloakroom.form(id, { gateway }))
  shown.on('change', draw)
  shown.on('error', (error) => { element('aliases').textContent = `${error.type}: ${error.title}` })
  shown.on('submit', () => element('pay').requestSubmit())
  const layout = element('layout').value
  const isCard = ['cardNumber', 'expDate', 'cvc'].every((type) => description.fields.some((/** @type {any} */ field) => field.type === type))
  let hasCard = false
  for (const field of description.fields) {
    const place = make('div')
    const isPart = isCard && layout !== 'fields' && ['cardNumber', 'expDate', 'cvc'].includes(field.type)
    if (isPart && hasCard) continue
    element('fields').append(place)
    if (isPart) shown.card({ layout }).mount(place)
    else shown.field(field.fieldName, { label: field.fieldName.replace(/[_.]/g, ' ') }).mount(place)
    hasCard ||= isPart
  }
}

/** @param {import('../Types/cloakroom.js').FormState} state */
function draw(state) {
  const rows = Object.values(state.fields).map((field) =>
    make('tr', '', make('td', field.fieldName), make('td', field.isValid ? 'yes' : 'no'), make('td', field.isComplete ? 'yes' : 'no'),
      make('td', field.cardBrandName ?? ''), make('td', field.redacted)))
  element('state').replaceChildren(...rows)
}

/** @param {Event} event */
async function pay(event) {
  event.preventDefault()
  if (!form) return
  try {
    element('aliases').textContent = pretty((await form.tokens()).data)
    element('body').textContent = pretty((await form.send('/', { extraData: { order: 17 } })).body)
  } catch (error) {
    const { type, status, title } = /** @type {any} */ (error)
    element('aliases').textContent = pretty({ type, status, title })
  }
}

const script = document.createElement('script')
script.src = gateway + '/elements/v1/cloakroom.js'
script.crossOrigin = 'anonymous'
script.onload = async () => {
  const { forms } = await (await fetch('/v1/forms')).json()
  for (const { form: id, title } of forms) element('form').append(Object.assign(document.createElement('option'), { value: id, textContent: title ?? id }))
  if (forms.some((/** @type {any} */ { form: id }) => id === 'checkout')) element('form').value = 'checkout'
  await show()
}
element('gateway').textContent = gateway
element('page').textContent = location.origin
element('pay').addEventListener('submit', pay)
for (const id of ['form', 'layout']) element(id).addEventListener('change', show)
document.head.append(script)
