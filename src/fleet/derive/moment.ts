/** When something happened, with the resolution and the source of the time. */
import type { MetricRun } from '../../model/observation.ts'
import type { EvidenceSource } from '../../model/upgrade.ts'
import type { ObjectState } from './cluster-history.ts'

export interface Moment {
  readonly atMs: number
  /** The true time is at most this much earlier. */
  readonly resolutionSeconds: number
  /** Read later from a history, not observed as it happened. */
  readonly isReconstructed: boolean
  readonly source: EvidenceSource
}

/** A time that the object contains, to the second. */
export function ownMoment(atMs: number, isReconstructed = false): Moment {
  return { atMs, resolutionSeconds: 1, isReconstructed, source: 'objects' }
}

/** The start of a state that contains no time: reported by a watch, or between the previous state and the list with this one. */
export function seenMoment(state: ObjectState, before: ObjectState | undefined): Moment {
  const { atMs, isWatched } = state
  const gapMs = isWatched || before === undefined ? 0 : atMs - before.atMs
  return { ...ownMoment(atMs, !isWatched), resolutionSeconds: Math.max(1, Math.ceil(gapMs / 1000)) }
}

/** A change in a series, after `beforeMs` and not later than `atMs`; `undefined`: the history begins there. */
export function scrapeMoment(atMs: number, beforeMs: number | undefined): Moment | undefined {
  if (beforeMs === undefined) return undefined
  const resolutionSeconds = Math.max(1, Math.ceil((atMs - beforeMs) / 1000))
  return { atMs, resolutionSeconds, isReconstructed: false, source: 'metrics' }
}

export function runMoment(run: MetricRun | undefined): Moment | undefined {
  return run && scrapeMoment(run.firstMs, run.beforeMs)
}

export function spanMoment(atMs: number): Moment {
  return { atMs, resolutionSeconds: 1, isReconstructed: false, source: 'spans' }
}

/** The start and the end, where known. */
export function timesOf({ started, ended }: MomentRange): { readonly startedMs?: number; readonly endedMs?: number } {
  return {
    ...(started !== undefined && { startedMs: started.atMs }),
    ...(ended !== undefined && { endedMs: ended.atMs }),
  }
}

interface MomentRange {
  readonly started?: Moment | undefined
  readonly ended?: Moment | undefined
}

/** The times of the moments that are known. */
export function knownMs(...moments: readonly (Moment | undefined)[]): readonly number[] {
  return moments.flatMap((moment) => moment?.atMs ?? [])
}

/** The earliest of the moments that are known. */
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
