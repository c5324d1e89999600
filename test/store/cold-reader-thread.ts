import { parentPort, workerData } from 'node:worker_threads'
import type { ReaderShare } from '../../src/store/head/share.ts'
import { openReader } from '../../src/store/reader.ts'

// Reads the series of the past again and again while another thread makes them cold and warm: `progress` has 1 when it is time to
// stop, and then the number of reads. Reports the numbers of series, buckets and warm series that it has seen.

const { dir, share, progress, fromMs, toMs } = workerData as {
  readonly dir: string
  readonly share: ReaderShare
  readonly progress: Int32Array
  readonly fromMs: number
  readonly toMs: number
}
const reader = openReader({ dir }, share)
const [series, rows, warm] = [new Set<number>(), new Set<number>(), new Set<number>()]
while (Atomics.load(progress, 0) === 0) {
  series.add([...reader.series([{ name: 'silent', op: '=', value: 'yes' }], { fromMs, toMs })].flat().length)
  const selection = reader.selectRollup({
    ...{ matchers: [{ name: 'silent', op: '=', value: 'yes' }], fromMs, toMs, alignMs: toMs - fromMs, bucketsMax: 1e6 },
    parts: { extremes: false, sums: false },
  })
  let count = 0
  selection?.readBuckets(0, selection.rows.length, (row, buckets) => {
    if (selection.rows.valueAt(row, 'silent') === 'yes') count += buckets.counts[0]!
  })
  rows.add(count)
  warm.add(reader.seriesCount)
  if (Atomics.add(progress, 1, 1) === 0) parentPort!.postMessage('reading')
}
reader.close()
parentPort!.postMessage({ series: [...series], rows: [...rows], warm: [...warm] })
