/**
 * Restores of etcd from a snapshot, found in the states of objects. Revisions go back to that of the snapshot: what was written
 * since is undone, and later states have lower resource versions. One object may be reported in a wrong order; a restore shows
 * in several objects, of which at least one was surely written later with a lower version.
 */
import type { ObjectObservation } from '../../model/observation.ts'
import { CLOCK_ERROR_MS_MAX, ownTimeMs } from './collector-clock.ts'

export interface Restore {
  /** The first observation of a state written since the restore, by the Collector's clock. */
  readonly atMs: number
  /** States with a higher resource version that were observed before are undone. */
  readonly version: number
  /** The snapshot was not taken before. */
  readonly snapshotMs: number
}

/** The states of one object, by resource version. */
type Ordered = readonly ObjectObservation[]

const NONE: readonly Restore[] = []
const OBJECTS_MIN = 2
/** More would be made up. */
const RESTORES_MAX = 8

/** In order of time. @param objects ordered by resource version, each of one object */
export function restoresOf(
  objects: readonly Ordered[],
  isWatched: (object: ObjectObservation) => boolean,
): readonly Restore[] {
  const reversed = objects.filter((states) => states[0]!.facts.kind !== 'events' && hasReversal(states))
  if (reversed.length < OBJECTS_MIN) return NONE
  const restores: Restore[] = []
  let fromMs = -Infinity
  while (restores.length < RESTORES_MAX) {
    const restore = nextRestore(reversed, objects, fromMs, isWatched)
    if (restore === undefined) break
    restores.push(restore)
    fromMs = restore.atMs
  }
  return restores
}

function hasReversal(states: Ordered): boolean {
  for (let i = 1; i < states.length; i++) if (states[i]!.observedMs < states[i - 1]!.observedMs) return true
  return false
}

interface Reversal {
  readonly object: number
  readonly atMs: number
  readonly version: number
  readonly isSure: boolean
}

function nextRestore(
  reversed: readonly Ordered[],
  objects: readonly Ordered[],
  fromMs: number,
  isWatched: (object: ObjectObservation) => boolean,
): Restore | undefined {
  const reversals = reversed.flatMap((states, object) => reversalsOf(states, object, fromMs, isWatched))
  const atMs = Math.min(...reversals.filter(({ isSure }) => isSure).map((reversal) => reversal.atMs))
  const since = reversals.filter((reversal) => reversal.atMs >= atMs)
  if (new Set(since.map(({ object }) => object)).size < OBJECTS_MIN) return undefined
  const version = Math.min(...since.map((reversal) => reversal.version)) - 1
  let snapshotMs = -Infinity
  for (const states of objects) {
    for (const { observedMs, resourceVersion } of states) {
      if (observedMs < atMs && observedMs > snapshotMs && Number(resourceVersion) <= version) snapshotMs = observedMs
    }
  }
  return { atMs, version, snapshotMs }
}

/** States with a lower version than one that was observed before. */
function reversalsOf(
  states: Ordered,
  object: number,
  fromMs: number,
  isWatched: (object: ObjectObservation) => boolean,
): readonly Reversal[] {
  const reversals: Reversal[] = []
  let highest: ObjectObservation | undefined
  // `states` are in order of version, and the sort is stable.
  for (const state of states.toSorted((a, b) => a.observedMs - b.observedMs)) {
    if (state.observedMs < fromMs) continue
    const version = Number(state.resourceVersion)
    if (highest === undefined || version >= Number(highest.resourceVersion)) highest = state
    else if (state.observedMs > highest.observedMs && state.change !== 'deleted') {
      const isSure = isWatched(state) && isWrittenLater(state, highest)
      reversals.push({ object, atMs: state.observedMs, version, isSure })
    }
  }
  return reversals
}

/** By the times in the object. A Collector's clock that is set back reverses observations too, but not these times. */
function isWrittenLater(state: ObjectObservation, before: ObjectObservation): boolean {
  const [ownMs, beforeMs] = [ownTimeMs(state.facts), ownTimeMs(before.facts)]
  if (ownMs !== undefined && beforeMs !== undefined && ownMs !== beforeMs) return ownMs > beforeMs
  return state.observedMs - before.observedMs > CLOCK_ERROR_MS_MAX
}
