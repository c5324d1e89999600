/**
 * `npm run chaos -- SCENARIO [--rounds N] [--seed S]`: the long runs of `test/chaos` (after `npm run build`). Prints how far
 * it is, a table at the end, and every fault; ends with 1 when there is one. `--list` names the scenarios.
 */
import { parseArgs } from 'node:util'
import { SCENARIOS } from '../test/chaos/scenarios.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string' },
    seed: { type: 'string', default: '1' },
    list: { type: 'boolean', default: false },
  },
})

const names = [...SCENARIOS.keys()]
for (const name of positionals) {
  if (!SCENARIOS.has(name)) throw new Error(`got scenario ${name}, want one of ${names.join(', ')}`)
}
const seed = Number(values.seed)
for (const [name, { claim, rounds, run }] of SCENARIOS) {
  if (values.list) console.log(`${name} (${rounds} rounds): ${claim}`)
  else if (positionals.includes(name)) {
    const started = Date.now()
    console.log(`## ${name}, seed ${seed}: ${claim}`)
    const report = await run({
      ...{ rounds: Number(values.rounds ?? rounds), seed },
      onProgress: (text) => {
        console.log(`${new Date().toISOString().slice(11, 19)} ${text}`)
      },
    })
    console.log(`${report.text()}, ${Math.round((Date.now() - started) / 1000)} s`)
    if (report.faults.length > 0) process.exitCode = 1
  }
}
if (!values.list && positionals.length === 0) throw new Error(`got no scenario, want one of ${names.join(', ')}`)
