/** When something happened, how exactly that is known, and from where. */
import type { EvidenceSource } from '../../model/upgrade.ts'
import type { ObjectState } from './cluster-history.ts'

export interface Moment {
  readonly atMs: number
  /** The true time is at most this much earlier. */
  readonly resolutionSeconds: number
  /** Read later from a history, not seen as it happened. */
  readonly isReconstructed: boolean
  readonly source: EvidenceSource
}

/** A time the object says itself, to the second. */
export function ownMoment(atMs: number, isReconstructed = false): Moment {
  return { atMs, resolutionSeconds: 1, isReconstructed, source: 'objects' }
}

/**
 * When a state without a time of its own began: it was seen at once by a watch, or some time between the state before
 * and the list that found it.
 */
export function seenMoment(state: ObjectState, before: ObjectState | undefined): Moment {
  const { atMs } = state
  if (state.isWatched) return { atMs, resolutionSeconds: 1, isReconstructed: false, source: 'objects' }
  const gapMs = before === undefined ? 0 : atMs - before.atMs
  const resolutionSeconds = Math.max(1, Math.ceil(gapMs / 1000))
  return { atMs, resolutionSeconds, isReconstructed: true, source: 'objects' }
}

/** A change seen in a series: after `beforeMs`, at `atMs` at the latest. */
export function scrapeMoment(atMs: number, beforeMs: number | undefined): Moment | undefined {
  if (beforeMs === undefined) return undefined
  const resolutionSeconds = Math.max(1, Math.ceil((atMs - beforeMs) / 1000))
  return { atMs, resolutionSeconds, isReconstructed: false, source: 'metrics' }
}

export function spanMoment(atMs: number): Moment {
  return { atMs, resolutionSeconds: 1, isReconstructed: false, source: 'spans' }
}

/** The earliest of those that are known. */
export function earliest(...moments: readonly (Moment | undefined)[]): Moment | undefined {
  return moments.reduce<Moment | undefined>(
    (first, moment) => (moment !== undefined && (first === undefined || moment.atMs < first.atMs) ? moment : first),
    undefined,
  )
}

export function latest(...moments: readonly (Moment | undefined)[]): Moment | undefined {
  return moments.reduce<Moment | undefined>(
    (last, moment) => (moment !== undefined && (last === undefined || moment.atMs > last.atMs) ? moment : last),
    undefined,
  )
}
