import { isDeepStrictEqual } from 'node:util'
import { bitsOf, isStaleAt } from '../../src/model/sample.ts'
import type { SeriesColumns } from '../../src/model/series.ts'
import { SAMPLES_PER_BATCH, workHistogram, workLabels, workSample, type WorkSample } from './workload.ts'

interface Expected {
  readonly number: number
  readonly value: WorkSample['value']
  readonly isAcked: boolean
}

/**
 * What is wrong with a read, in sentences: all batches up to `ackedBatch` must be there, each sample once and with its
 * bits, and nothing beyond `sentBatch`.
 */
export function faultsOf(read: readonly SeriesColumns[], ackedBatch: number, sentBatch: number): string[] {
  const faults: string[] = []
  const expected = new Map<string, Map<number, Expected>>()
  for (let number = 0; number < (sentBatch + 1) * SAMPLES_PER_BATCH; number++) {
    const sample = workSample(number)
    const { timeMs, value } = sample
    const { key } = workLabels(sample)
    const samples = expected.get(key) ?? new Map<number, Expected>()
    expected.set(key, samples)
    samples.set(timeMs, { number, value, isAcked: number < (ackedBatch + 1) * SAMPLES_PER_BATCH })
  }
  for (const series of read) {
    const samples = expected.get(series.labels.key)
    const bits = bitsOf(series.values)
    for (let i = 0; i < series.count; i++) {
      const timeMs = series.timesMs[i]!
      const what = `${series.labels.toString()} at ${timeMs}`
      if (i > 0 && timeMs <= series.timesMs[i - 1]!) faults.push(`${what}: not after the sample before it`)
      const sample = samples?.get(timeMs)
      if (sample === undefined) {
        faults.push(`${what}: was never sent, or is there twice`)
        continue
      }
      const histogram = series.histograms?.[i]
      const isSame =
        sample.value === 'stale'
          ? isStaleAt(bits, i)
          : sample.value === 'histogram'
            ? isDeepStrictEqual(histogram, workHistogram(sample.number))
            : histogram === undefined && Object.is(series.values[i], sample.value)
      if (!isSame) faults.push(`${what}: got ${String(series.values[i])}, want ${sample.value} of ${sample.number}`)
      samples?.delete(timeMs)
    }
  }
  for (const [key, samples] of expected) {
    for (const [timeMs, { isAcked }] of samples) if (isAcked) faults.push(`${key} at ${timeMs}: is lost`)
  }
  return faults
}
