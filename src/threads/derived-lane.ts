/**
 * Derived samples on their way from the query worker to the ingest worker. Rules write the same series each time, so a
 * label set crosses once and is a number after that: ten thousand clusters and forty recording rules are four hundred
 * thousand samples, and cloning and looking up as many label sets cost seconds.
 *
 * The numbers are the sender's, given by the identity of `Labels`. Nothing is lost when they are forgotten: the next batch
 * begins a new count (`isAnew`) and carries its label sets again.
 */
import { FleetError } from '../base/errors.ts'
import { invariant } from '../base/invariant.ts'
import type { AppendDerived, Appender, DerivedSample } from '../model/appender.ts'
import type { Histogram } from '../model/histogram.ts'
import type { Labels } from '../model/labels.ts'
import type { SeriesRef } from '../model/series.ts'

/** Samples as columns. Plain data and `Labels`: it crosses threads. */
export interface DerivedBatch {
  /** The count begins anew: earlier numbers mean nothing any more. */
  readonly isAnew: boolean
  /** Label sets that get the next numbers, in order. */
  readonly fresh: readonly Labels[]
  /** The series of each sample, by its number. */
  readonly ids: Uint32Array
  readonly timesMs: Float64Array
  readonly values: Float64Array
  /** 1 where the series ends; the value means nothing there. */
  readonly stale: Uint8Array
  /** Samples that are native histograms, with their place. */
  readonly histograms: readonly (readonly [number, Histogram])[]
}

/** So many label sets are remembered before the count begins anew: series that ended are among them. */
export const NUMBERED_MAX = 2_000_000

/** The sending end. */
export function createDerivedSender(
  send: (batch: DerivedBatch) => Promise<void>,
  numberedMax = NUMBERED_MAX,
): AppendDerived {
  let ids = new WeakMap<Labels, number>()
  let next = 0
  let isAnew = true
  let batches = 0
  return async (samples) => {
    const number = ++batches
    if (next + samples.length > numberedMax) isAnew = true
    if (isAnew) {
      ids = new WeakMap()
      next = 0
    }
    const begins = isAnew
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
    // Until it is known to have arrived, nothing is sure of the numbers: another batch meanwhile counts anew.
    isAnew = true
    await send(batch)
    if (number === batches) isAnew = false
  }
}

function columnsOf(
  samples: readonly DerivedSample[],
  numberOf: (labels: Labels) => number,
  isAnew: boolean,
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
  return { isAnew, fresh, ids, timesMs, values, stale, histograms }
}

/**
 * The receiving end: appends and commits. When series have no room, all the others are stored, and then it rejects with
 * FleetError `query_limit`.
 */
export function createDerivedReceiver(appender: Appender): (batch: DerivedBatch) => Promise<void> {
  /** `undefined`: there was no room for it. The sender counts anew after that, so it is tried again. */
  let refs: (SeriesRef | undefined)[] = []
  return async ({ isAnew, fresh, ids, timesMs, values, stale, histograms }) => {
    if (isAnew) refs = []
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
