#!/usr/bin/env node
// Evaluates random submissions to random forms by `cloakroom evaluate` and by the engine, and demands the same text of both.
//
// usage: agree.mjs --binary FILE --engine FILE [--count N] [--seed N] [--script FILE]
import { spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { pathToFileURL } from 'node:url'
import { Random, form, submission } from './forms.mjs'
import { differenceFrom } from './undecided.mjs'

const options = { count: '20000', seed: '1', script: new URL('../../Sources/Elements/Scripts/engine.mjs', import.meta.url).pathname }
for (let i = 2; i < process.argv.length; i += 2) options[process.argv[i].slice(2)] = process.argv[i + 1]
const count = Number(options.count)
const perForm = 20
const mostUndecided = 0.5
// A day before the current month's end, in the middle of the years that the generator uses.
const today = '2026-11-21'

const { load } = await import(pathToFileURL(options.script).href)
const engine = await load(await readFile(options.engine))
const random = new Random(Number(options.seed))

const server = spawn(options.binary, ['evaluate', '--describe', '--now', `${today}T12:00:00Z`], { stdio: ['pipe', 'pipe', 'inherit'] })
const lines = createInterface({ input: server.stdout, crlfDelay: Infinity })[Symbol.asyncIterator]()

const tally = { compared: 0, undecided: 0, refusedForms: 0, forms: 0, patterns: 0, withheld: 0, differences: 0, microseconds: 0 }

function compare(line, fields, schema) {
  const response = JSON.parse(line)
  if (!response.description) {
    tally.refusedForms++
    return null
  }
  // The verdict comes first; the outgoing bodies follow it.
  const expected = line.slice(0, line.indexOf(',"payload":')) + '}'
  const description = schema ?? response.description
  const start = performance.now()
  let actual
  try {
    actual = engine.evaluateText(description, JSON.stringify({ fields }), { today })
  } catch (error) {
    actual = String(error)
  }
  tally.microseconds += (performance.now() - start) * 1000
  tally.compared++
  if (actual === expected) return description
  let difference = 'text'
  if (actual.includes('"undecided":')) {
    tally.undecided++
    difference = differenceFrom(JSON.parse(expected), JSON.parse(actual), description.schema, fields)
    if (difference === null) return description
  }
  tally.differences++
  if (tally.differences <= 3) {
    console.error(`difference ${tally.differences}: ${difference}`)
    console.error(`  fields  ${JSON.stringify(fields)}\n  server  ${expected}\n  engine  ${actual}\n  schema  ${JSON.stringify(description.schema)}`)
  }
  return description
}

for (let done = 0; done < count; ) {
  const definition = form(random, tally.forms++)
  const submissions = Array.from({ length: Math.min(perForm, count - done) }, () => submission(random, definition))
  done += submissions.length
  server.stdin.write(submissions.map(fields => JSON.stringify({ form: definition, fields }) + '\n').join(''))
  let schema = null
  for (const fields of submissions) {
    const { value } = await lines.next()
    schema = compare(value, fields, schema) ?? schema
  }
  if (schema) {
    const text = JSON.stringify(schema.schema)
    tally.withheld += text.split('"isServerOnly":true').length - 1
    tally.patterns += text.split(/"(?:pattern|matcher|validation)":"(?!pattern")/).length - 1
  }
}
server.stdin.end()

console.log(
  `${tally.compared} verdicts of ${tally.forms} forms (${tally.refusedForms} lines with a form that is refused), ${tally.undecided} in part undecided, ` +
    `${tally.patterns} patterns sent, ${tally.withheld} not; ${(tally.microseconds / tally.compared).toFixed(1)} µs each; ${tally.differences} differences`
)
// Random patterns are stranger than people's, so much stays undecided: of 2,000 verdicts 13 to 36%, and of their patterns 18 to 40% are not
// sent. An engine or a description that leaves all to the gateway would have nothing compared.
const isTooLittleSaid = tally.undecided > mostUndecided * tally.compared || tally.withheld > mostUndecided * (tally.withheld + tally.patterns)
if (isTooLittleSaid) console.error('too much is undecided, or too few patterns are sent')
process.exit(tally.differences === 0 && tally.compared > 0 && !isTooLittleSaid ? 0 : 1)
