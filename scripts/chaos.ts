/**
 * `npm run chaos -- SCENARIO [--rounds N] [--seed S]`: the long runs of `test/chaos` (after `npm run build`). Prints how far
 * it is, a table at the end, and every fault; ends with 1 when there is one. `--help` names the scenarios.
 */
import { parseArgs } from 'node:util'
import { SCENARIOS } from '../test/chaos/scenarios.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string' },
    seed: { type: 'string', default: '1' },
    help: { type: 'boolean', short: 'h', default: false },
  },
})

if (values.help) {
  console.log('npm run chaos -- SCENARIO ... [--rounds N] [--seed S]')
  for (const [name, { claim, rounds }] of SCENARIOS) console.log(`  ${name} (${rounds} rounds): ${claim}`)
  process.exit()
}
const names = [...SCENARIOS.keys()].join(', ')
if (positionals.length === 0) exitWith(`got no scenario, expected one of ${names}`)
for (const name of positionals) {
  if (!SCENARIOS.has(name)) exitWith(`got scenario ${name}, expected one of ${names}`)
}
// Asked to stop, it ends in order: what it started ends with it.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
const seed = Number(values.seed)
for (const [name, { claim, rounds, run }] of SCENARIOS) {
  if (positionals.includes(name)) {
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

function exitWith(message: string): never {
  console.error(message)
  process.exit(1)
}
