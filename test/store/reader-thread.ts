import { parentPort, workerData } from 'node:worker_threads'
import { openReader } from '../../src/store/reader.ts'
import type { ReaderShare } from '../../src/store/head/share.ts'
import { faultsOf } from './work-check.ts'
import { listed } from '../support/portions.ts'

// Reads everything again and again while another thread writes, and checks each read. `progress` holds the number of
// batches acknowledged, the number sent, and 1 when it is time to stop.

const { dir, share, progress } = workerData as {
  readonly dir: string
  readonly share: ReaderShare
  readonly progress: Int32Array
}
const reader = openReader({ dir }, share)
const faults: string[] = []
let reads = 0
const range = { fromMs: -Infinity, toMs: Infinity }
while (Atomics.load(progress, 2) === 0) {
  const acked = Atomics.load(progress, 0) - 1
  const read = reader.select({ matchers: [], ...range, maxSamples: 100_000_000 })
  const names = acked < 0 ? ['work'] : listed(reader.labelValues('__name__', [], range))
  const sent = Atomics.load(progress, 1) - 1
  reads++
  faults.push(...faultsOf(read, acked, sent))
  const isWork = names.includes('work') && names.every((name) => name === 'work' || name === 'work_histograms')
  if (!isWork) faults.push(`label values: got ${names.join()}, want work`)
  if (faults.length > 20) break
  if (reads === 1) parentPort!.postMessage('reading')
}
reader.close()
parentPort!.postMessage({ reads, faults })
