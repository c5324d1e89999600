/**
 * Restores of etcd from a snapshot, found in the states of objects. Revisions go back to that of the snapshot: what was written
 * since is undone, and later states have lower resource versions. One object may be reported in a wrong order; a restore shows
 * in several objects. Either at least one was surely written later with a lower version, or, when nothing is written after the
 * restore, several are listed again in an old version long after the newer one was last observed.
 */
import { CLOCK_ERROR_MS_MAX, type ObjectObservation } from '../../model/observation.ts'
import { ownTimeMs } from './collector-clock.ts'

export interface Restore {
  /** The first observation of a state of the time since the restore, by the Collector's clock. */
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
  /** The last observation of a higher version before it. */
  readonly higherMs: number
  /** Higher than the revision of the snapshot. */
  readonly version: number
  /** The version of a state that was observed before too: the revision of the snapshot is not lower. */
  readonly listedVersion?: number
  readonly isSure: boolean
}

function nextRestore(
  reversed: readonly Ordered[],
  objects: readonly Ordered[],
  fromMs: number,
  isWatched: (object: ObjectObservation) => boolean,
): Restore | undefined {
  const reversals = reversed.flatMap((states, object) => reversalsOf(states, object, fromMs, isWatched))
  const written = reversals.filter(({ listedVersion }) => listedVersion === undefined)
  const listed = oneSnapshot(firstListedOf(reversals))
  const writtenMs = Math.min(...written.filter(({ isSure }) => isSure).map((reversal) => reversal.atMs))
  // By then the newer states of all of them were undone.
  const listedMs = areSeveral(listed) ? Math.max(...listed.map((reversal) => reversal.atMs)) : Infinity
  const sinceOf = (ms: number): readonly Reversal[] => [
    ...written.filter(({ atMs }) => atMs >= ms),
    ...listed.filter(({ higherMs }) => higherMs < ms),
  ]
  // One object that was reported in a wrong order before hides no restore.
  const atMs = [writtenMs, listedMs].sort((a, b) => a - b).find((ms) => areSeveral(sinceOf(ms)))
  if (atMs === undefined) return undefined
  const since = sinceOf(atMs)
  const storedVersion = Math.max(...since.map(({ listedVersion }) => listedVersion ?? -Infinity))
  const version = Math.min(...since.map((reversal) => reversal.version).filter((one) => one > storedVersion)) - 1
  let snapshotMs = -Infinity
  for (const states of objects) {
    for (const [i, { observedMs, resourceVersion }] of states.entries()) {
      if (states[i - 1]?.resourceVersion === resourceVersion) continue
      if (observedMs < atMs && observedMs > snapshotMs && Number(resourceVersion) <= version) snapshotMs = observedMs
    }
  }
  return { atMs, version, snapshotMs }
}

/** Of each object the first one that was listed again. */
function firstListedOf(reversals: readonly Reversal[]): readonly Reversal[] {
  const objects = new Set<number>()
  return reversals.filter(({ listedVersion, object }) => {
    const isFirst = listedVersion !== undefined && !objects.has(object)
    if (isFirst) objects.add(object)
    return isFirst
  })
}

function areSeveral(reversals: readonly Reversal[]): boolean {
  return new Set(reversals.map(({ object }) => object)).size >= OBJECTS_MIN
}

/** One snapshot has all listed versions and none of the undone ones; otherwise the reports are old, and nothing was restored. */
function oneSnapshot(listed: readonly Reversal[]): readonly Reversal[] {
  const undoneVersion = Math.min(...listed.map(({ version }) => version))
  return listed.every(({ listedVersion }) => listedVersion! < undoneVersion) ? listed : []
}

/** States with a lower version than one that was observed before. */
function reversalsOf(
  states: Ordered,
  object: number,
  fromMs: number,
  isWatched: (object: ObjectObservation) => boolean,
): readonly Reversal[] {
  const reversals: Reversal[] = []
  const known = new Set<string>()
  let highest: ObjectObservation | undefined
  // `states` are in order of version, and the sort is stable.
  for (const state of states.toSorted((a, b) => a.observedMs - b.observedMs)) {
    const { observedMs, resourceVersion } = state
    const isAgain = known.has(resourceVersion)
    known.add(resourceVersion)
    if (observedMs < fromMs) continue
    const version = Number(resourceVersion)
    if (highest === undefined || version >= Number(highest.resourceVersion)) highest = state
    else if (observedMs > highest.observedMs && state.change !== 'deleted') {
      const reversal = { object, atMs: observedMs, higherMs: highest.observedMs, version }
      if (!isAgain) reversals.push({ ...reversal, isSure: isWatched(state) && isWrittenLater(state, highest) })
      else reversals.push(...listedAgain(states, state, reversal))
    }
  }
  return reversals
}

/** A state that was observed before: it is in force again unless the report is old or a clock is wrong. */
function listedAgain(
  states: Ordered,
  { observedMs, change }: ObjectObservation,
  reversal: Omit<Reversal, 'isSure'>,
): readonly Reversal[] {
  const higher = states.filter((state) => Number(state.resourceVersion) > reversal.version)
  const undone = higher.filter((state) => state.observedMs < observedMs)
  const higherMs = Math.max(...undone.map((state) => state.observedMs))
  const undoneVersions = new Set(undone.map(({ resourceVersion }) => resourceVersion))
  const isUndone = !higher.some((state) => state.observedMs > observedMs && undoneVersions.has(state.resourceVersion))
  if (change === 'modified' || observedMs - higherMs < CLOCK_ERROR_MS_MAX || !isUndone) return []
  const version = Math.min(...[...undoneVersions].map(Number))
  return [{ ...reversal, higherMs, version, listedVersion: reversal.version, isSure: true }]
}

/** By the times in the object. A Collector's clock that is set back reverses observations too, but not these times. */
function isWrittenLater(state: ObjectObservation, before: ObjectObservation): boolean {
  const [ownMs, beforeMs] = [ownTimeMs(state.facts), ownTimeMs(before.facts)]
  if (ownMs !== undefined && beforeMs !== undefined && ownMs !== beforeMs) return ownMs > beforeMs
  return state.observedMs - before.observedMs > CLOCK_ERROR_MS_MAX
}
