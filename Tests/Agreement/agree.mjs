#!/usr/bin/env node
// Evaluates random submissions to random forms by `cloakroom evaluate` and by the engine, and demands the same text of both.
//
// usage: agree.mjs --binary FILE --engine FILE [--count N] [--seed N] [--script FILE]
import { spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { pathToFileURL } from 'node:url'
import { Random, form, submission } from './forms.mjs'

const options = { count: '20000', seed: '1', script: new URL('../../Sources/Elements/Scripts/engine.mjs', import.meta.url).pathname }
for (let i = 2; i < process.argv.length; i += 2) options[process.argv[i].slice(2)] = process.argv[i + 1]
const count = Number(options.count)
const perForm = 20
// A day before the current month's end, in the middle of the years that the generator uses.
const today = '2026-11-21'

const { load } = await import(pathToFileURL(options.script).href)
const engine = await load(await readFile(options.engine))
const random = new Random(Number(options.seed))

const server = spawn(options.binary, ['evaluate', '--describe', '--now', `${today}T12:00:00Z`], { stdio: ['pipe', 'pipe', 'inherit'] })
const lines = createInterface({ input: server.stdout, crlfDelay: Infinity })[Symbol.asyncIterator]()

const tally = { compared: 0, undecided: 0, refusedForms: 0, forms: 0, patterns: 0, withheld: 0, differences: 0, microseconds: 0 }

/** Whether the engine's verdict is the server's but for what it says that it cannot know. */
function agreesButForUndecided(ours, theirs) {
  for (const [name, state] of Object.entries(ours.fields)) {
    const other = theirs.fields[name]
    if (!state.undecided) {
      if (JSON.stringify(state) !== JSON.stringify(other)) return false
      continue
    }
    const known = other.validationErrors.filter(error => !state.undecided.includes(error))
    if (known.join() !== state.validationErrors.filter(error => !state.undecided.includes(error)).join()) return false
    for (const key of ['fieldName', 'type', 'isRequired', 'isRequiredValidOnly', 'isDirty']) if (state[key] !== other[key]) return false
  }
  return true
}

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
  if (actual.includes('"undecided":')) {
    tally.undecided++
    if (agreesButForUndecided(JSON.parse(actual), JSON.parse(expected))) return description
  }
  tally.differences++
  if (tally.differences <= 3) {
    console.error(`difference ${tally.differences}`)
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
process.exit(tally.differences === 0 && tally.compared > 0 ? 0 : 1)
