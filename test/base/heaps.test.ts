import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const MODULE = join(import.meta.dirname, '../../src/base/heaps.ts')

/** Keeps 400,000 objects and replaces 100,000 others again and again, in a thread; prints how large its heap became, in bytes. */
const THREAD = `
  const kept = Array.from({ length: 400_000 }, (_, i) => ({ i, text: 'x' + i }))
  const others = new Array(100_000)
  let peak = 0
  for (let i = 0; i < 1_500_000; i++) {
    others[i % others.length] = { i, text: 'y' + i, pair: [i, i] }
    if (i % 20_000 === 0) peak = Math.max(peak, process.memoryUsage().heapTotal)
  }
  require('node:worker_threads').parentPort.postMessage(kept.length > 0 ? peak : 0)
`

async function peakBytes(isTuned: boolean): Promise<number> {
  const script = `
    import { Worker } from 'node:worker_threads'
    import { tuneHeaps } from ${JSON.stringify(MODULE)}
    if (${isTuned}) tuneHeaps()
    new Worker(${JSON.stringify(THREAD)}, { eval: true, execArgv: [] }).once('message', (peak) => console.log(peak))
  `
  const args = ['--import', 'tsx', '--input-type=module', '--eval', script]
  const { stdout } = await promisify(execFile)(process.execPath, args)
  return Number(stdout)
}

test('a thread that allocates fast has a much smaller heap', async () => {
  const [tuned, others] = await Promise.all([peakBytes(true), peakBytes(false)])
  expect(tuned).toBeGreaterThan(0)
  expect(tuned).toBeLessThan(others * 0.7)
}, 60_000)
