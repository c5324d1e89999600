import { APPENDED, APPENDED_BEFORE, type AppendOutcome, type Appender } from '../../src/model/appender.ts'
import type { Exemplar } from '../../src/model/exemplar.ts'
import type { Histogram } from '../../src/model/histogram.ts'
import type { Labels } from '../../src/model/labels.ts'
import type { MetricMetadata } from '../../src/model/metadata.ts'
import type { SeriesRef } from '../../src/model/series.ts'

/** Passes all on to a real appender, and notes what one request did. */
export class NotingAppender implements Appender {
  seriesAsked = 0
  samplesTaken = 0
  samplesOffered = 0
  exemplarsOffered = 0
  readonly values: number[] = []
  readonly #inner: Appender

  constructor(inner: Appender) {
    this.#inner = inner
  }

  /** Starts a request. */
  reset(): void {
    this.seriesAsked = 0
    this.samplesTaken = 0
    this.samplesOffered = 0
    this.exemplarsOffered = 0
    this.values.length = 0
  }

  resolve(labels: Labels): SeriesRef | undefined {
    this.seriesAsked++
    return this.#inner.resolve(labels)
  }

  find(labels: Labels): SeriesRef | undefined {
    return this.#inner.find(labels)
  }

  seriesOf(cluster: string): number {
    return this.#inner.seriesOf(cluster)
  }

  newestMs(ref: SeriesRef): number {
    return this.#inner.newestMs(ref)
  }

  append(ref: SeriesRef, timeMs: number, value: number): AppendOutcome {
    this.values.push(value)
    return this.#noted(this.#inner.append(ref, timeMs, value))
  }

  appendStale(ref: SeriesRef, timeMs: number): AppendOutcome {
    return this.#noted(this.#inner.appendStale(ref, timeMs))
  }

  appendHistogram(ref: SeriesRef, timeMs: number, histogram: Histogram): AppendOutcome {
    return this.#noted(this.#inner.appendHistogram(ref, timeMs, histogram))
  }

  appendExemplar(ref: SeriesRef, exemplar: Exemplar): boolean {
    this.exemplarsOffered++
    return this.#inner.appendExemplar(ref, exemplar)
  }

  describe(family: string, metadata: MetricMetadata): boolean {
    return this.#inner.describe(family, metadata)
  }

  commit(): Promise<void> {
    return this.#inner.commit()
  }

  #noted(outcome: AppendOutcome): AppendOutcome {
    this.samplesOffered++
    if (outcome === APPENDED || outcome === APPENDED_BEFORE) this.samplesTaken++
    return outcome
  }
}
