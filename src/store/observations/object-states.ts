import { groupBy } from '../../base/group-by.ts'
import { PrefixMaxima } from '../../base/prefix-maxima.ts'
import { CLOCK_ERROR_MS_MAX } from '../../model/observation.ts'
import { changeNumber, EVENTS, NODES } from './object-codec.ts'

/**
 * Which states of an object are stored. Objects are reported far more often than they change: nodes every few minutes,
 * and all objects again with each pull and each start of a Collector. So the first and the last sighting of each
 * distinct state are stored, in the order of resource versions, and those in between are dropped.
 *
 * Why the order of arrival does not matter: the stored sightings of a state are the least and the greatest element of a
 * set, and for ties the least of them. Least and greatest are commutative, associative and idempotent, and a dropped
 * sighting is neither, whatever arrives later. The result for readers (`statesOf`) is a function of the stored
 * sightings.
 *
 * Resource versions go back when etcd is restored from a backup, and if nothing is written after that, states of then are
 * only listed again. So one more sighting is stored: of those of the last version the first one of the newest hour, which
 * is the greatest of a set too, and costs at most one write per state and hour.
 *
 * The limitation: a state that ends and returns several times with all stored fields equal. Nearly all states contain a
 * start time (conditions, histories, generations), so they differ from earlier states.
 */

/** One sighting. */
export interface Sighting {
  /** The resource version. */
  readonly version: number
  /** When it was observed; of repeats the earliest. */
  readonly ms: number
  /** How it was observed (object-codec.ts); of repeats the least. */
  readonly change: number
  /** The last writer (object-codec.ts), of repeats the greatest text: the empty one (not reported) is the least. */
  readonly manager: string
}

export interface StateSpan {
  readonly isDeleted: boolean
  readonly hash: number
  readonly first: Sighting
  readonly last: Sighting
  /** When the last version was observed last: the first time in that hour. */
  readonly seenMs: number
}

const HOUR_MS = 3_600_000
const LISTED = changeNumber('listed')

/** The state after one more sighting; the same object when nothing changes. */
export function withSighting(state: StateSpan, seen: Sighting): StateSpan {
  const first = seen.version > state.first.version ? state.first : merged(state.first, seen)
  const last = seen.version < state.last.version ? state.last : merged(state.last, seen)
  const seenMs = seenMsAfter(state, seen)
  const isSame = first === state.first && last === state.last && seenMs === state.seenMs
  return isSame ? state : { ...state, first, last, seenMs }
}

function seenMsAfter({ last, seenMs }: StateSpan, { version, ms }: Sighting): number {
  if (version !== last.version) return version > last.version ? ms : seenMs
  const hour = Math.floor(ms / HOUR_MS)
  const knownHour = Math.floor(seenMs / HOUR_MS)
  return hour > knownHour || (hour === knownHour && ms < seenMs) ? ms : seenMs
}

/** The state after all sightings of both; of two with the same facts. */
export function mergedSpans(one: StateSpan, other: StateSpan): StateSpan {
  const first = other.first.version > one.first.version ? one.first : merged(one.first, other.first)
  const last = other.last.version < one.last.version ? one.last : merged(one.last, other.last)
  const seenMs = seenMsAfter(one, { ...other.last, ms: other.seenMs })
  return { ...one, first, last, seenMs }
}

/** @param seen has the same version, or replaces `known` */
function merged(known: Sighting, seen: Sighting): Sighting {
  if (seen.version !== known.version) return seen
  const manager = seen.manager > known.manager ? seen.manager : known.manager
  if (seen.ms >= known.ms && seen.change >= known.change && manager === known.manager) return known
  const ms = Math.min(known.ms, seen.ms)
  return { version: seen.version, ms, change: Math.min(known.change, seen.change), manager }
}

/** For Events, only the newest state is stored: its count and times include those of earlier states. */
export function isNewestStored(kind: number): boolean {
  return kind === EVENTS
}

type StateStart<S extends StateSpan> = Sighting & { readonly state: S }

/**
 * The states in order, each with its start: a state without another state between its sightings is reported once.
 *
 * A state that returns is reported at its last sighting, which for most kinds is the time of its return. A node is
 * observed every few minutes, which would move that time: it is reported at the last sighting of the state in between.
 */
export function statesOf<S extends StateSpan>(kind: number, states: readonly S[]): StateStart<S>[] {
  const points: StateStart<S>[] = []
  for (const state of states) {
    points.push({ ...state.first, state })
    if (state.last.version !== state.first.version) points.push({ ...state.last, state })
  }
  points.sort(byVersion)
  const starts: StateStart<S>[] = []
  const seen = new Set<S>()
  points.forEach((point, i) => {
    const before = points[i - 1]
    if (before?.state === point.state) return
    const isBack = seen.has(point.state)
    seen.add(point.state)
    const isMoving = isBack && kind === NODES && before !== undefined
    starts.push(isMoving ? { ...point, version: before.version + 1, ms: before.ms } : point)
  })
  return states.length < 2 ? starts : [...starts, ...startsAgain(states, starts)]
}

/**
 * States that were observed again long after a later one: resource versions went back. The time is the earliest that no
 * wrong clock explains, and it stays when the state is observed further, and when another one follows.
 */
function startsAgain<S extends StateSpan>(states: readonly S[], starts: readonly StateStart<S>[]): StateStart<S>[] {
  const lastStarts = new Map(starts.map((start) => [start.state, start]))
  const laterMsOf = newestOfLater(states)
  const again = states.flatMap((state) => {
    const { isDeleted, seenMs } = state
    const { version, ms } = lastStarts.get(state)!
    const laterMs = laterMsOf.get(state)!
    const againMs = laterMs + CLOCK_ERROR_MS_MAX
    // A state that began after the later ones is in order by its time.
    if (isDeleted || ms > laterMs || seenMs < againMs) return []
    return [{ version, ms: againMs, change: LISTED, manager: '', state }]
  })
  return again.sort((a, b) => a.ms - b.ms)
}

/** When the states with a higher version that began by the last sighting of a state were seen last; -Infinity: there are none. */
function newestOfLater<S extends StateSpan>(states: readonly S[]): ReadonlyMap<S, number> {
  const newest = new PrefixMaxima(states.map(({ first }) => first.ms))
  const found = new Map<S, number>()
  const byVersion = groupBy(states, ({ last }) => last.version)
  for (const version of [...byVersion.keys()].sort((a, b) => b - a)) {
    const same = byVersion.get(version)!
    for (const state of same) found.set(state, newest.upTo(state.seenMs))
    for (const { first, last, seenMs } of same) newest.add(first.ms, Math.max(last.ms, seenMs))
  }
  return found
}

function byVersion(a: StateStart<StateSpan>, b: StateStart<StateSpan>): number {
  if (a.version !== b.version) return a.version - b.version
  if (a.state.isDeleted !== b.state.isDeleted) return a.state.isDeleted ? 1 : -1
  return a.state.hash - b.state.hash
}

/** Whether the derived facts are equal. */
export function haveSameStates(a: readonly StateStart<StateSpan>[], b: readonly StateStart<StateSpan>[]): boolean {
  return (
    a.length === b.length &&
    a.every((one, i) => {
      const other = b[i]!
      const isSameState = one.state.hash === other.state.hash && one.state.isDeleted === other.state.isDeleted
      return (
        isSameState &&
        one.version === other.version &&
        one.ms === other.ms &&
        one.change === other.change &&
        one.manager === other.manager
      )
    })
  )
}
