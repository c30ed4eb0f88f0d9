#!/usr/bin/env node
// Uses the engine as a page does: verdicts, typing, misuse, and what is left in memory.
//
// usage: use.mjs ENGINE.wasm
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { load } from '../../Sources/Elements/Scripts/engine.mjs'

const bytes = await readFile(process.argv[2])
// All memories that are made, to look into them.
const memories = []
const Instance = WebAssembly.Instance
WebAssembly.Instance = new Proxy(Instance, {
  construct(target, parameters) {
    const instance = Reflect.construct(target, parameters)
    memories.push(instance.exports.memory)
    return instance
  },
})
const holds = text => memories.some(memory => Buffer.from(memory.buffer).includes(text))

const engine = await load(bytes)
const today = '2026-11-21'
const description = {
  schema: {
    form: 'checkout',
    fields: [
      { name: 'number', type: 'cardNumber', isRequired: true },
      { name: 'code', type: 'cvc' },
      { name: 'text', validationRules: [{ rule: 'pattern', pattern: '[a-z\\p{Lu}]+' }] },
      { name: 'kept', validationRules: [{ rule: 'pattern', isServerOnly: true, error: 'E' }] },
      { name: 'phone', mask: '(###) ###', transform: { matcher: '[() ]' } },
    ],
  },
}

// Verdicts, and what only the gateway knows.
const verdict = engine.evaluate(description, { fields: { number: '4111 1111 1111 1111', text: 'aB', kept: 'x' } }, { today })
assert.equal(verdict.form, 'checkout')
assert.equal(verdict.fields.number.cardBrand, 'visa')
assert.deepEqual(verdict.fields.text.validationErrors, [])
assert.deepEqual(verdict.fields.kept.undecided, ['E'])
assert.equal(verdict.fields.kept.isValid, true)
assert.deepEqual(Object.keys(verdict.fields), ['number', 'code', 'text', 'kept', 'phone'])
assert.deepEqual(engine.evaluate(description, {}, { today }).fields.number.validationErrors, ['CARD_NUMBER_VALIDATION_ERROR'])
// A letter of Unicode 15 is a letter here and none in PCRE2 10.42; text of a length that may exhaust the gateway's limit.
assert.deepEqual(engine.evaluate(description, { fields: { text: '\u{10ec2}' } }, { today }).fields.text.undecided, ['PATTERN_VALIDATION_ERROR'])
assert.deepEqual(engine.evaluate(description, { fields: { text: 'a'.repeat(1024) } }, { today }).fields.text.validationErrors, [])
assert.deepEqual(engine.evaluate(description, { fields: { text: 'a'.repeat(1025) } }, { today }).fields.text.undecided, ['PATTERN_VALIDATION_ERROR'])
// Group offsets beyond ASCII, in UTF-16 and UTF-8.
const swapping = { schema: { form: 'f', fields: [{ name: 'f', transform: { matcher: '(é😀)(b)', replacement: '$2$1' }, validation: '^xbé😀$' }] } }
assert.deepEqual(engine.evaluate(swapping, { fields: { f: 'xé😀b' } }, { today }).fields.f.validationErrors, [])

// Typing.
assert.deepEqual(engine.shape(description, 'number', '41111', 5), {
  text: '4111 1', value: '41111', caret: 6, refused: '', next: '', isFull: false, cardBrand: 'visa', cardBrandName: 'Visa',
})
assert.equal(engine.shape(description, 'code', '1234', 4, { cardNumber: '34' }).text, '1234')
assert.equal(engine.shape(description, 'code', '1234', 4, { cardNumber: '4' }).refused, '4')
assert.equal(engine.shape(description, 'phone', '(415) 5x', 8).refused, 'x')
const edit = { text: '(41', value: '41', from: 0, to: 0 }
const typed = engine.shape(description, 'phone', '5(41', 1, { edit })
assert.deepEqual([typed.text, typed.value, typed.caret, typed.refused], ['(541', '541', 2, ''])
assert.equal(engine.shape(description, 'phone', '12x(41', 3, { edit }).refused, 'x')
assert.equal(engine.shape(description, 'phone', '12x(41', 3, { edit: { ...edit, isComposed: true } }).text, '(124) 1')

// Misuse is an error that shows no text, and the engine goes on.
assert.throws(() => engine.evaluate(description, { fields: { nope: 'secret' } }, { today }), error => !error.message.includes('secret'))
assert.throws(() => engine.evaluate(description, { fields: { number: 7 } }, { today }), /string/)
assert.throws(() => engine.evaluate(description, { fields: { number: '\ud800' } }, { today }))
// What the gateway refuses with 400 has no verdict.
const refused = [
  [null, /body/], [[], /body/], ['x', /body/], [{ note: 'secret' }, /unknown member/], [{ fields: null }, /fields/],
  [{ fields: [] }, /fields/], [{ fields: {}, extraData: 5 }, /extraData/], [undefined, /JSON/],
]
for (const [submission, reason] of refused) {
  const isReason = error => reason.test(error.message) && !error.message.includes('secret')
  assert.throws(() => engine.evaluate(description, submission, { today }), isReason, JSON.stringify(submission))
}
assert.equal(engine.evaluate(description, { extraData: { note: 1 } }, { today }).form, 'checkout')
assert.throws(() => engine.evaluate(description, {}, { today: '21.11.2026' }), TypeError)
assert.throws(() => engine.evaluate(description, {}, { today: '2026-02-30' }), /day/)
assert.throws(() => engine.evaluate({ schema: { form: 'f' } }, {}, { today }))
assert.throws(() => engine.evaluate({ schema: { form: 'f', fields: [{ name: 'a', validation: '(' }] } }, {}, { today }))
assert.throws(() => engine.shape(description, 'nope', '', 0))

// More forms than are kept, again and again: none is mistaken for another, and memory does not grow with them.
const many = Array.from({ length: 40 }, (_, i) => ({ schema: { form: `f${i}`, fields: [{ name: `n${i}` }] } }))
for (let round = 0; round < 30; round++) for (const one of many) assert.equal(engine.evaluate(one, {}, { today }).form, one.schema.form)
const before = memories[0].buffer.byteLength
for (let round = 0; round < 200; round++) for (const one of many) engine.evaluate(one, {}, { today })
assert.equal(memories[0].buffer.byteLength, before)

// What was typed is wiped when a call ends, all else with the whole memory.
const value = '4539526018159083'
engine.evaluate(description, { fields: { number: value, text: 'ErlkönigVonGoethe' } }, { today })
engine.shape(description, 'number', value, 16)
// Short strings live on the stack.
engine.evaluate(description, { fields: { code: '7#Shrt#9' } }, { today })
engine.shape(description, 'code', '7#Shrt#9', 3)
assert.equal(holds(value), false)
assert.equal(holds('ErlkönigVonGoethe'), false)
assert.equal(holds('#Shrt#'), false)
assert.equal(holds('checkout'), true)
engine.wipe()
assert.equal(memories.every(memory => Buffer.from(memory.buffer).every(byte => byte === 0)), true)
assert.equal(engine.evaluate(description, {}, { today }).form, 'checkout')
console.log('ok')
