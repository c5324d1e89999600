import { isDeepStrictEqual } from 'node:util'
import {
  APPENDED,
  APPENDED_BEFORE,
  REFUSED_DUPLICATE,
  REFUSED_OUT_OF_ORDER,
  REFUSED_TOO_OLD,
  type AppendOutcome,
  type Appender,
} from '../../src/model/appender.ts'
import type { Exemplar } from '../../src/model/exemplar.ts'
import type { Histogram } from '../../src/model/histogram.ts'
import type { Labels } from '../../src/model/labels.ts'
import type { MetricMetadata } from '../../src/model/metadata.ts'
import type { SeriesRef } from '../../src/model/series.ts'

/** One sample as a test compares it. `value` is NaN for a stale marker and for a histogram. */
export interface MemorySample {
  readonly timeMs: number
  readonly value: number
  readonly isStale: boolean
  readonly histogram?: Histogram
}

export interface MemoryAppenderOptions {
  /** The most series; `resolve` answers `undefined` beyond. */
  readonly seriesMax?: number
  /** How far behind its series' newest sample a new time may be. */
  readonly outOfOrderMs?: number
  /** Times before this are too old. */
  readonly oldestMs?: number
}

interface MemorySeries {
  readonly labels: Labels
  readonly samples: Map<number, MemorySample>
  newestMs: number
}

/** An `Appender` in plain maps: the first value of a (series, millisecond) stays. Refs are 1, 2, 3, ... */
export class MemoryAppender implements Appender {
  readonly #options: Required<MemoryAppenderOptions>
  readonly #series: MemorySeries[] = []
  readonly #refs = new Map<string, SeriesRef>()
  commits = 0
  readonly exemplars: { readonly ref: SeriesRef; readonly exemplar: Exemplar }[] = []
  /** By family, what was said last. */
  readonly metadata = new Map<string, MetricMetadata>()

  constructor(options: MemoryAppenderOptions = {}) {
    this.#options = { seriesMax: Infinity, outOfOrderMs: Infinity, oldestMs: -Infinity, ...options }
  }

  resolve(labels: Labels): SeriesRef | undefined {
    const known = this.#refs.get(labels.key)
    if (known !== undefined) return known
    if (this.#series.length >= this.#options.seriesMax) return undefined
    const ref = this.#series.push({ labels, samples: new Map(), newestMs: -Infinity })
    this.#refs.set(labels.key, ref)
    return ref
  }

  find(labels: Labels): SeriesRef | undefined {
    return this.#refs.get(labels.key)
  }

  seriesOf(cluster: string): number {
    return this.#series.filter(({ labels }) => labels.get('cluster') === cluster).length
  }

  newestMs(ref: SeriesRef): number {
    return this.#series[ref - 1]?.newestMs ?? -Infinity
  }

  append(ref: SeriesRef, timeMs: number, value: number): AppendOutcome {
    return this.#put(ref, { timeMs, value, isStale: false })
  }

  appendStale(ref: SeriesRef, timeMs: number): AppendOutcome {
    return this.#put(ref, { timeMs, value: NaN, isStale: true })
  }

  appendHistogram(ref: SeriesRef, timeMs: number, histogram: Histogram): AppendOutcome {
    return this.#put(ref, { timeMs, value: NaN, isStale: false, histogram })
  }

  appendExemplar(ref: SeriesRef, exemplar: Exemplar): boolean {
    this.exemplars.push({ ref, exemplar })
    return true
  }

  describe(family: string, metadata: MetricMetadata): boolean {
    this.metadata.set(family, metadata)
    return true
  }

  commit(): Promise<void> {
    this.commits++
    return Promise.resolve()
  }

  get seriesCount(): number {
    return this.#series.length
  }

  get sampleCount(): number {
    return this.#series.reduce((sum, { samples }) => sum + samples.size, 0)
  }

  /** All series in the order they were made, samples by time. */
  dump(): { readonly labels: Record<string, string>; readonly samples: readonly MemorySample[] }[] {
    return this.#series.map(({ labels, samples }) => ({
      labels: labels.toObject(),
      samples: [...samples.values()].sort((a, b) => a.timeMs - b.timeMs),
    }))
  }

  #put(ref: SeriesRef, sample: MemorySample): AppendOutcome {
    const series = this.#series[ref - 1]
    if (series === undefined) throw new Error(`no series has ref ${ref}`)
    const before = series.samples.get(sample.timeMs)
    if (before !== undefined) {
      const isSame = isDeepStrictEqual(before, sample)
      return isSame ? APPENDED_BEFORE : REFUSED_DUPLICATE
    }
    if (sample.timeMs < this.#options.oldestMs) return REFUSED_TOO_OLD
    if (sample.timeMs < series.newestMs - this.#options.outOfOrderMs) return REFUSED_OUT_OF_ORDER
    series.samples.set(sample.timeMs, sample)
    series.newestMs = Math.max(series.newestMs, sample.timeMs)
    return APPENDED
  }
}
