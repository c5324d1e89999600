/**
 * `npm run bench [-- --quick] [name ...]`: each benchmark against a baseline or a peer in the same run, as a ratio.
 * Machines are noisy, so only ratios are worth comparing from one day to the next. Without names: the peers, which
 * alone look at the other options; `peers.ts` says what they mean. `--help` names the benchmarks.
 */
import { readdirSync } from 'node:fs'
import { parseArgs } from 'node:util'
import type { PeersOptions } from './peers.ts'

interface Benchmark {
  run(options: PeersOptions): Promise<void> | void
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    program: { type: 'string' },
    only: { type: 'string' },
    scenario: { type: 'string' },
    out: { type: 'string' },
    table: { type: 'string' },
    profile: { type: 'string' },
    'over-http': { type: 'boolean', default: false },
    readiness: { type: 'boolean', default: false },
    silences: { type: 'boolean', default: false },
    url: { type: 'string' },
    sources: { type: 'string' },
    order: { type: 'string' },
    mode: { type: 'string' },
    clusters: { type: 'string' },
    processes: { type: 'string' },
    pages: { type: 'boolean', default: false },
    seed: { type: 'string' },
    help: { type: 'boolean', short: 'h', default: false },
  },
})
const known = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith('.ts') && file !== 'run.ts')
  .map((file) => file.replace(/\.ts$/, ''))
if (values.help) {
  console.log(`npm run bench -- [--quick] [NAME ...]: ${known.join(', ')}; the options of each are in bench/README.md`)
  process.exit()
}
const names = positionals.length === 0 ? ['peers'] : positionals
for (const name of names) {
  if (!known.includes(name)) throw new Error(`got benchmark ${name}, want one of ${known.join(', ')}`)
}

// Asked to stop, it ends in order: servers that it started are stopped by whoever started them.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

console.log(
  `node ${process.versions.node}, ${process.platform}-${process.arch}, ${new Date().toISOString().slice(0, 10)}`,
)
for (const name of names) {
  console.log(`\n## ${name}`)
  const benchmark = (await import(`./${name}.ts`)) as Benchmark
  await benchmark.run(values)
}
