// What a verdict of the engine may leave to the gateway, and what it must say all the same (`docs/reference/browser.md` section 5).
import { young } from './forms.mjs'

/** The longest texts in which the engine looks for a pattern that must match all of them, or a part of them, in bytes. */
const longest = { whole: 1024, part: 256 }

/** What a rule that names no error of its own says. */
const ownErrors = {
  pattern: 'PATTERN_VALIDATION_ERROR', length: 'LENGTH_VALIDATION_ERROR', lengthMatch: 'LENGTH_RANGE_MATCH_VALIDATION_ERROR',
  luhnCheck: 'LUHN_ALGORITHM_CHECK_VALIDATION_ERROR', paymentCard: 'CARD_NUMBER_VALIDATION_ERROR',
  cardExpirationDate: 'EXPIRATION_DATE_VALIDATION_ERROR', dateRange: 'DATE_VALIDATION_ERROR',
  abaRoutingNumber: 'ABA_ROUTING_NUMBER_VALIDATION_ERROR', email: 'EMAIL_VALIDATION_ERROR', phone: 'PHONE_VALIDATION_ERROR',
  personName: 'PERSON_NAME_VALIDATION_ERROR', iban: 'IBAN_VALIDATION_ERROR',
}

/** Whether the engine can't know if the pattern matches: it was not sent, the text is too long, or depends on the version of Unicode. */
function isUnknown(pattern, text, limit) {
  if (pattern === undefined) return false
  if (typeof pattern === 'object') return pattern.isServerOnly === true
  return text.bytes > limit || (/\\p/i.test(pattern) && text.isYoung)
}

/** The text after a step, which may match at every byte and at the end; a letter in the other case has up to three times the bytes. */
function grown(text, { matcher, replacement = '', case: toCase }) {
  const references = replacement.match(/\$\d/g)?.length ?? 0
  const literals = Buffer.byteLength(replacement.replace(/\$\d/g, ''))
  const replaced = matcher === undefined ? 0 : references * text.bytes + literals * (text.bytes + 1)
  return { ...text, bytes: Math.max(text.bytes, replaced) * (toCase ? 3 : 1) }
}

/** The errors of a field that may be undecided with this text, and which patterns that make the text itself are unknown. */
function leave(field, submitted) {
  let text = { bytes: Buffer.byteLength(submitted), isYoung: young.some(scalar => submitted.includes(scalar)) }
  const slots = Array.isArray(field.mask) ? field.mask.map(slot => slot.pattern) : []
  const isMaskUnknown = slots.some(slot => isUnknown(slot, text, longest.whole))
  let isTextUnknown = isMaskUnknown
  for (const step of [field.transform ?? []].flat()) {
    if (isUnknown(step.matcher, text, longest.part)) isTextUnknown = true
    text = grown(text, step)
  }
  // Types that may have a mask or a transform, and that the form gives no rules, have a pattern.
  const ofType = ['cardHolderName', 'ssn'].includes(field.type) ? [{ rule: 'pattern', pattern: '' }] : []
  const rules = (field.validationRules ?? ofType).filter(rule => {
    return isTextUnknown || (rule.rule === 'pattern' && isUnknown(rule.isServerOnly ? rule : rule.pattern, text, longest.whole))
  })
  const errors = new Set(rules.map(rule => rule.error ?? ownErrors[rule.rule]))
  if (isMaskUnknown) errors.add('DROPPED_INPUT_VALIDATION_ERROR')
  if (isTextUnknown || isUnknown(field.validation, text, longest.part)) errors.add('VALIDATION_ERROR')
  if (isTextUnknown && field.tokenization) errors.add('ALIAS_FORMAT_VALIDATION_ERROR')
  return { errors, isMaskUnknown, isTextUnknown }
}

/** What the text's shape and rules decide; all else of a state depends on whether it was submitted, and on its field. */
const ofErrors = ['isValid', 'isComplete', 'validationErrors', 'undecided']
const ofTransformed = ['isEmpty', 'inputLength', 'last4', 'redacted']
const ofMasked = [...ofTransformed, 'isMaskSatisfied']

const without = (state, keys) => JSON.stringify(Object.entries(state).filter(([key]) => !keys.includes(key)))

/** The state without the digits of a number. */
const hidden = state => ({
  ...state, ...('bin' in state && { bin: '' }), ...('last4' in state && { last4: '' }), redacted: state.redacted.replace(/\d/g, '•'),
})

/** What is wrong with the state of a field of which some is undecided; null if nothing is. */
function differenceOfField(theirs, ours, field, text) {
  const { errors, isMaskUnknown, isTextUnknown } = leave(field, text)
  if (ours.undecided.length === 0 || new Set(ours.undecided).size < ours.undecided.length) return 'undecided lists'
  const unasked = ours.undecided.filter(error => !errors.has(error))
  if (unasked.length > 0) return `${unasked} can be known`
  const known = state => state.validationErrors.filter(error => !ours.undecided.includes(error)).join()
  if (known(ours) !== known(theirs)) return 'validationErrors'
  // An error with the text of one that is undecided comes of another rule, and is the gateway's too.
  if (!isTextUnknown && !ours.validationErrors.every(error => theirs.validationErrors.includes(error))) return 'an error too many'
  if (ours.isValid !== (ours.validationErrors.length === 0)) return 'isValid'
  if (ours.isComplete !== (ours.isValid && !ours.isEmpty && ours.isMaskSatisfied)) return 'isComplete'
  const skipped = [...ofErrors, ...(isMaskUnknown ? ofMasked : isTextUnknown ? ofTransformed : [])]
  // A number that is not valid shows none of its digits.
  if (ours.isValid && !theirs.isValid) [ours, theirs] = [ours, theirs].map(hidden)
  return without(ours, skipped) === without(theirs, skipped) ? null : 'a member that the errors do not decide'
}

/** What is wrong with the form's verdict by the states of its own fields; null if nothing is (`docs/reference/fields.md` section 10). */
function differenceOfForm(theirs, ours, definitions) {
  const states = Object.values(ours.fields)
  if (ours.isValid !== (ours.nextField === null)) return 'isValid of the form'
  if (ours.isComplete !== (ours.isValid && states.every(state => state.isComplete || state.isEmpty))) return 'isComplete of the form'
  const names = Object.keys(ours.fields)
  const [next, other] = [ours, theirs].map(({ nextField }) => (nextField === null ? names.length : names.indexOf(nextField)))
  // Where no field is empty it is plain what satisfies it; where one is, it is so for both unless the engine can't know.
  const isSatisfied = (state, { mask, transform, validation }) => (mask ?? transform ?? validation ?? null) === null ? state.isValid : state.isComplete
  for (const [index, state] of states.slice(0, next + 1).entries()) {
    if (!state.isEmpty && isSatisfied(state, definitions[index]) !== index < next) return 'nextField by its own states'
  }
  return next === other || states[Math.min(next, other)].undecided ? null : 'nextField'
}

/**
 * What is wrong with the engine's verdict beside the gateway's; null if it differs only in what the engine can't know, and says so.
 * @param schema The form as the engine has it.
 * @param fields The submitted texts.
 */
export function differenceFrom(theirs, ours, schema, fields) {
  for (const key of ['form', ...Object.keys(theirs)]) if (!(key in ours)) return `no ${key}`
  if (Object.keys(ours).join() !== Object.keys(theirs).join() || ours.form !== theirs.form) return 'members of the form'
  if (Object.keys(ours.fields).join() !== Object.keys(theirs.fields).join()) return 'fields'
  const definitions = Object.keys(ours.fields).map(name => schema.fields.find(field => field.name === name))
  for (const [index, [name, state]] of Object.entries(ours.fields).entries()) {
    const other = theirs.fields[name]
    const difference = state.undecided
      ? differenceOfField(other, state, definitions[index], fields[name] ?? '')
      : JSON.stringify(state) === JSON.stringify(other) ? null : 'state'
    if (difference) return `${difference} of ${name}`
  }
  return differenceOfForm(theirs, ours, definitions)
}
