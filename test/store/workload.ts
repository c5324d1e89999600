import type { AppendOutcome, Appender } from '../../src/model/appender.ts'
import { NO_BUCKETS, type Histogram } from '../../src/model/histogram.ts'
import { Labels } from '../../src/model/labels.ts'
import type { Span } from '../../src/model/span.ts'
import { span, spanIdOf, traceIdOf } from '../support/spans.ts'

/**
 * A load whose every sample follows from its number, so that what is read can be checked against nothing but a number.
 * Numbered samples go round over the series; some go in runs, some are late, and a part of the series ends every twenty
 * rounds and is followed by new ones, as the pods of a fleet are. Two series, one of each sort, are native histograms.
 */
export const SAMPLES_PER_BATCH = 60
export const START_MS = 1_760_000_000_000
/** Flushes and compactions every few batches, so that many kills come in the middle of one. */
export const CRASH_OPTIONS = {
  outOfOrderMs: 10 * 60_000,
  flushEveryMs: 60_000,
  compactToMs: [5 * 60_000, 30 * 60_000],
  checkpointLogBytes: 2000,
  checkpointEveryMs: 120_000,
} as const
const SERIES = 97
const STEP_MS = 30_000
/** Series from this one on live for so many rounds. */
const SHORT_LIVED_FROM = 80
const LIFE_ROUNDS = 20
const HISTOGRAM_SERIES: ReadonlySet<number> = new Set([40, 96])

export interface WorkSample {
  readonly series: number
  /** Which of the series that follow each other under this number. */
  readonly life: number
  readonly timeMs: number
  /** The bits of the value; of a `histogram`, see `workHistogram`. */
  readonly value: number | 'stale' | 'histogram'
}

/** The sample of a number. One series has strictly different times for different numbers. */
export function workSample(number: number): WorkSample {
  const series = (number * 31) % SERIES
  const round = Math.floor(number / SERIES)
  // Every seventh round changes places with the one before: it is late then, as after a sender's retry.
  const place = round % 7 === 6 ? round - 1 : round % 7 === 5 ? round + 1 : round
  const kind = series % 4
  let value: WorkSample['value'] = 1
  if (HISTOGRAM_SERIES.has(series)) value = round % 11 === 10 ? 'stale' : 'histogram'
  else if (kind === 1) value = round
  else if (kind === 2) value = Math.sin(number)
  else if (round % 11 === 10) value = 'stale'
  else if (kind === 3) value = round % 5 === 0 ? NaN : -0
  const life = series < SHORT_LIVED_FROM ? 0 : Math.floor(place / LIFE_ROUNDS)
  return { series, life, timeMs: START_MS + place * STEP_MS, value }
}

/** What a number says when its sample is a histogram: no two numbers say the same. */
export function workHistogram(number: number): Histogram {
  const buckets = (number % 5) + 1
  const indexes = Int32Array.from({ length: buckets }, (_, i) => i * 3 - 4)
  const counts = Float64Array.from({ length: buckets }, (_, i) => number + i)
  return {
    schema: number % 4,
    counterReset: 'unknown',
    count: counts.reduce((sum, count) => sum + count, 1),
    sum: number / 2,
    zeroThreshold: 0.001,
    zeroCount: 1,
    positive: { indexes, counts },
    negative: NO_BUCKETS,
    customBounds: new Float64Array(0),
  }
}

export function workLabels({ series, life }: Pick<WorkSample, 'series' | 'life'>): Labels {
  const name = HISTOGRAM_SERIES.has(series) ? 'work_histograms' : 'work'
  return Labels.of({ __name__: name, series: String(series), cluster: `c${series % 7}`, life: String(life) })
}

/** Time at which a number is sent: no sample of it or before is newer. */
export function workNowMs(number: number): number {
  return START_MS + (Math.floor(number / SERIES) + 2) * STEP_MS
}

/** Appends a batch by its number. The outcomes must all be successes. */
export function appendBatch(appender: Appender, batch: number): void {
  for (let number = batch * SAMPLES_PER_BATCH; number < (batch + 1) * SAMPLES_PER_BATCH; number++) {
    const sample = workSample(number)
    const { series, timeMs, value } = sample
    const ref = appender.resolve(workLabels(sample))
    if (ref === undefined) throw new Error('the series limit is reached')
    let outcome: AppendOutcome
    if (value === 'stale') outcome = appender.appendStale(ref, timeMs)
    else if (value === 'histogram') outcome = appender.appendHistogram(ref, timeMs, workHistogram(number))
    else outcome = appender.append(ref, timeMs, value)
    if (outcome > 1) throw new Error(`sample ${number} of series ${series} was refused: ${outcome}`)
  }
}

/** Batches whose spans are of one trace: parts of it come with several commits, and are merged. */
export const BATCHES_PER_TRACE = 12

export function workTraceId(batch: number): string {
  return traceIdOf(1 + Math.floor(batch / BATCHES_PER_TRACE))
}

/** The spans that go with a batch, which stands in their flags. */
export function workSpans(batch: number): readonly Span[] {
  const at = (number: number): Span =>
    span({
      ...{ traceId: workTraceId(batch), spanId: spanIdOf(1 + number), flags: batch },
      startNs: BigInt(START_MS + number) * 1_000_000n,
      endNs: BigInt(START_MS + number + 1) * 1_000_000n,
      attributes: [{ key: 'number', value: number }],
    })
  return [at(batch * 3), at(batch * 3 + 1), at(batch * 3 + 2)]
}
