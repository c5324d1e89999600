import type { Histogram } from '../../model/histogram.ts'
import type { Grid } from './grid.ts'
import type { RangeSeries } from './range-series.ts'

/**
 * The samples that a query reads at each of its steps, counted as Prometheus does for `stats=all`: a sample counts at every
 * step whose lookback or window has it. Present only when the counts are requested.
 */
export class StepSamples {
  readonly counts: Float64Array

  constructor(steps: number) {
    this.counts = new Float64Array(steps)
  }

  get total(): number {
    return this.counts.reduce((sum, count) => sum + count, 0)
  }

  add(step: number, samples: number): void {
    this.counts[step]! += samples
  }

  /** What is evaluated once for all steps was read at each. */
  addToAll(samples: number): void {
    for (let step = 0; step < this.counts.length; step++) this.add(step, samples)
  }

  /** The samples of an instant selector. */
  addSelected({ steps, present, histograms }: Grid): void {
    for (let cell = 0; cell < present.length; cell++) {
      if (present[cell] === 0) continue
      const histogram = histograms?.[cell]
      this.add(cell % steps, histogram === undefined ? 1 : histogramSamples(histogram))
    }
  }

  /** The values of a grid that has the samples of each window. */
  addCounts({ steps, values, present }: Grid): void {
    for (let cell = 0; cell < present.length; cell++) if (present[cell] === 1) this.add(cell % steps, values[cell]!)
  }

  /** The samples in the windows of `rangeMs` that end at `endsMs`. */
  addWindows(series: readonly RangeSeries[], rangeMs: number, endsMs: Float64Array): void {
    for (const { timesMs, count, histograms } of series) {
      const sizeOf = (at: number): number => {
        const histogram = histograms?.[at]
        return histogram === undefined ? 1 : histogramSamples(histogram)
      }
      let from = 0
      let to = 0
      let samples = 0
      endsMs.forEach((endMs, step) => {
        while (to < count && timesMs[to]! <= endMs) samples += sizeOf(to++)
        while (from < to && timesMs[from]! <= endMs - rangeMs) samples -= sizeOf(from++)
        this.add(step, samples)
      })
    }
  }
}

/**
 * Histograms count as more than one sample: as in Prometheus one sample per 16 bytes, which are 11 plus one for two
 * buckets or bounds.
 */
export function histogramSamples({ positive, negative, customBounds }: Histogram): number {
  return 11 + Math.ceil((positive.indexes.length + negative.indexes.length + customBounds.length) / 2)
}
