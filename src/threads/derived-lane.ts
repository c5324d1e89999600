/**
 * Derived samples from the query worker to the ingest worker. Rules write the same series each time, so a label set
 * crosses once and is sent as a number afterwards: 10,000 clusters and 40 recording rules make 400,000 samples, and
 * cloning and finding as many label sets would take seconds.
 *
 * The sender assigns the numbers by the identity of `Labels`. Dropping them loses nothing: the next batch restarts the
 * numbering (`isReset`) and carries its label sets again.
 */
import { FleetError } from '../base/errors.ts'
import { invariant } from '../base/invariant.ts'
import type { AppendDerived, Appender, DerivedSample } from '../model/appender.ts'
import type { Histogram } from '../model/histogram.ts'
import type { Labels } from '../model/labels.ts'
import type { SeriesRef } from '../model/series.ts'

/** Samples as columns; plain data and `Labels`, which can cross threads. */
export interface DerivedBatch {
  /** The numbering restarts: earlier numbers are invalid. */
  readonly isReset: boolean
  /** Label sets that get the next numbers, in order. */
  readonly fresh: readonly Labels[]
  /** The series of each sample, by its number. */
  readonly ids: Uint32Array
  readonly timesMs: Float64Array
  readonly values: Float64Array
  /** 1 where the series ends; the value is meaningless there. */
  readonly stale: Uint8Array
  /** Samples that are native histograms, with their index. */
  readonly histograms: readonly (readonly [number, Histogram])[]
}

/** The numbering restarts after this many label sets, because series that ended keep their number. */
const NUMBERED_MAX = 2_000_000

/** The sending end. */
export function createDerivedSender(
  send: (batch: DerivedBatch) => Promise<void>,
  numberedMax = NUMBERED_MAX,
): AppendDerived {
  let ids = new WeakMap<Labels, number>()
  let next = 0
  let isReset = true
  let batches = 0
  return async (samples) => {
    const number = ++batches
    if (next + samples.length > numberedMax) isReset = true
    if (isReset) {
      ids = new WeakMap()
      next = 0
    }
    const begins = isReset
    const fresh: Labels[] = []
    const numberOf = (labels: Labels): number => {
      let id = ids.get(labels)
      if (id === undefined) {
        ids.set(labels, (id = next++))
        fresh.push(labels)
      }
      return id
    }
    const batch = columnsOf(samples, numberOf, begins, fresh)
    // Until the batch is known to have arrived, its numbers are unconfirmed: a batch sent meanwhile restarts them.
    isReset = true
    await send(batch)
    if (number === batches) isReset = false
  }
}

function columnsOf(
  samples: readonly DerivedSample[],
  numberOf: (labels: Labels) => number,
  isReset: boolean,
  fresh: readonly Labels[],
): DerivedBatch {
  const ids = new Uint32Array(samples.length)
  const timesMs = new Float64Array(samples.length)
  const values = new Float64Array(samples.length)
  const stale = new Uint8Array(samples.length)
  const histograms: [number, Histogram][] = []
  samples.forEach(({ labels, timeMs, value, isStale, histogram }, i) => {
    ids[i] = numberOf(labels)
    timesMs[i] = timeMs
    values[i] = value
    stale[i] = isStale ? 1 : 0
    if (histogram !== undefined) histograms.push([i, histogram])
  })
  return { isReset, fresh, ids, timesMs, values, stale, histograms }
}

/**
 * The receiving end: appends and commits. When series exceed the limit, it stores all others and then rejects with
 * FleetError `query_limit`.
 */
export function createDerivedReceiver(appender: Appender): (batch: DerivedBatch) => Promise<void> {
  /** `undefined`: the series limit was reached. The sender then restarts the numbering, which retries the series. */
  let refs: (SeriesRef | undefined)[] = []
  return async ({ isReset, fresh, ids, timesMs, values, stale, histograms }) => {
    if (isReset) refs = []
    for (const labels of fresh) refs.push(appender.resolve(labels))
    let lost = 0
    const histogramAt = new Map(histograms)
    for (let i = 0; i < ids.length; i++) {
      invariant(ids[i]! < refs.length, 'a series has a number before it has a sample')
      const ref = refs[ids[i]!]
      if (ref === undefined) {
        lost++
        continue
      }
      const histogram = histogramAt.size === 0 ? undefined : histogramAt.get(i)
      if (stale[i] === 1) appender.appendStale(ref, timesMs[i]!)
      else if (histogram !== undefined) appender.appendHistogram(ref, timesMs[i]!, histogram)
      else appender.append(ref, timesMs[i]!, values[i]!)
    }
    await appender.commit()
    if (lost > 0) {
      throw new FleetError('query_limit', `${lost} derived samples not stored: the series limit is reached`)
    }
  }
}
