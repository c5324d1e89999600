/**
 * `npm run fuzz [-- --target NAME] [--inputs N] [--seed S] [--first N] [--list]`: the long form of `test/fuzz`. Without
 * `--inputs` each target gets its share of 10 million. Prints one line for each target and each finding once, and ends
 * with 1 when there is one. An input that hangs is named before the program ends. On SIGTERM or SIGINT it ends with the report of
 * what it has checked.
 */
import { parseArgs } from 'node:util'
import { Worker } from 'node:worker_threads'
import { runTarget, type FuzzFinding } from '../test/fuzz/run-target.ts'
import type { Target } from '../test/fuzz/target.ts'
import { TARGETS } from '../test/fuzz/targets.ts'

const { values } = parseArgs({
  options: {
    target: { type: 'string', multiple: true },
    inputs: { type: 'string' },
    seed: { type: 'string', default: '1' },
    first: { type: 'string', default: '0' },
    list: { type: 'boolean', default: false },
  },
})

/**
 * No batch may take so much of a processor: then it hangs, and only another thread can report that. Time alone says nothing on a
 * machine with other work. An HTTP request that is not answered is a finding of its own.
 */
const HANGS_AFTER_CPU_SECONDS = 60

const WATCH = `
const { workerData } = require('node:worker_threads')
let [before, since] = [-1, 0]
const cpuSeconds = () => (process.cpuUsage().user + process.cpuUsage().system) / 1e6
setInterval(() => {
  const now = Atomics.load(workerData.batches, 0)
  if (now !== before) since = cpuSeconds()
  else if (cpuSeconds() - since > ${HANGS_AFTER_CPU_SECONDS}) {
    const text = new TextDecoder().decode(new Uint8Array(workerData.text.slice(0)))
    process.stderr.write('hangs: ' + text.replaceAll('\\0', '') + '\\n')
    process.kill(process.pid, 'SIGKILL')
  }
  before = now
}, 5000)
`

/** Tells the watching thread of each batch. */
function watcher(): (text: string) => void {
  const batches = new Int32Array(new SharedArrayBuffer(4))
  const text = new SharedArrayBuffer(200)
  new Worker(WATCH, { eval: true, workerData: { batches, text } }).unref()
  return (what) => {
    new Uint8Array(text).fill(0)
    new Uint8Array(text).set(new TextEncoder().encode(what).subarray(0, 200))
    Atomics.add(batches, 0, 1)
  }
}

const names = TARGETS.map(({ name }) => name)
for (const name of values.target ?? []) {
  if (!names.includes(name)) throw new Error(`got target ${name}, want one of ${names.join(', ')}`)
}

/** Numbers differ between findings of one kind. */
function kindOf({ cause }: FuzzFinding): string {
  return String(cause).replace(/\d+/g, '0').slice(0, 120)
}

const seen = new Set<string>()
const tell = watcher()
const seed = Number(values.seed)
const stop = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, () => {
    stop.abort()
  })
}
let total = 0
let findings = 0

async function fuzz(target: Target): Promise<void> {
  const inputs = values.inputs === undefined ? target.inputs.long : Number(values.inputs)
  const report = await runTarget(target, {
    ...{ inputs, seed, first: Number(values.first), isStopped: () => stop.signal.aborted },
    onBatch: (number) => {
      tell(`${target.name}, input ${number} of seed ${seed}`)
    },
    onFinding: (finding) => {
      if (seen.has(kindOf(finding))) return
      seen.add(kindOf(finding))
      console.log(finding.message)
    },
  })
  total += report.inputs
  findings += report.findings
  const perSecond = Math.round((report.inputs * 1000) / report.durationMs)
  const outcomes = [...report.outcomes].sort(([, a], [, b]) => b - a).map(([name, count]) => `${name} ${count}`)
  const { slowest } = report
  console.log(
    `${target.name.padEnd(30)} ${String(report.inputs).padStart(9)} inputs ${String(perSecond).padStart(7)}/s ` +
      `findings ${report.findings}, slowest ${slowest.durationMs.toFixed(0)} ms at ${slowest.number}: ${outcomes.join(', ')}`,
  )
}

for (const target of TARGETS) {
  if (values.target?.includes(target.name) === false) continue
  if (values.list) console.log(`${target.name}: ${target.claim}`)
  else if (!stop.signal.aborted) await fuzz(target)
}
if (!values.list) console.log(`${total} inputs, ${findings} findings, seed ${seed}`)
process.exitCode = findings === 0 ? 0 : 1
