import { EVENTS, NODES } from './object-codec.ts'

/**
 * Which states of an object are kept. Objects are reported far more often than they change: nodes every few minutes, and
 * anything again with each pull and each start of a Collector. So of each distinct state of an object the first and the
 * last sighting are kept, in the order of resource versions, and what lies between is dropped.
 *
 * Why no order of arrival can matter: what is kept of a state is the least and the greatest element of a set, and beside
 * them the least of those that tie. Least and greatest are commutative, associative and idempotent, and a dropped sighting
 * is neither, whatever arrives later. What a reader gets (`statesOf`) is a function of what is kept.
 *
 * What is lost by it: a state that is left and comes back several times, equal in every kept field. Nearly all states tell
 * a time at which they began (conditions, histories, generations), and so are not equal to the ones before.
 */

/** One sighting. */
export interface Sighting {
  /** The resource version. */
  readonly version: number
  /** When it was observed; of repeats the earliest. */
  readonly ms: number
  /** How it came (object-codec.ts); of repeats the least. */
  readonly change: number
  /** Who had written last (object-codec.ts), of repeats the greatest text: one that says nothing is the least. */
  readonly manager: string
}

export interface StateSpan {
  readonly isDeleted: boolean
  readonly hash: number
  readonly first: Sighting
  readonly last: Sighting
}

/** What is known of a state after one more sighting; the same object when nothing is new. */
export function withSighting(state: StateSpan, seen: Sighting): StateSpan {
  const first = seen.version > state.first.version ? state.first : merged(state.first, seen)
  const last = seen.version < state.last.version ? state.last : merged(state.last, seen)
  return first === state.first && last === state.last ? state : { ...state, first, last }
}

/** @param seen is of the same version, or takes its place */
function merged(known: Sighting, seen: Sighting): Sighting {
  if (seen.version !== known.version) return seen
  const manager = seen.manager > known.manager ? seen.manager : known.manager
  if (seen.ms >= known.ms && seen.change >= known.change && manager === known.manager) return known
  const ms = Math.min(known.ms, seen.ms)
  return { version: seen.version, ms, change: Math.min(known.change, seen.change), manager }
}

/** Of Events only the newest is kept: its count and its times say what those before it said. */
export function isNewestStored(kind: number): boolean {
  return kind === EVENTS
}

export type StateStart<S extends StateSpan> = Sighting & { readonly state: S }

/**
 * The states in their order, each when it began: a state between whose sightings there was no other is one.
 *
 * A state that was there before and came back is told at its last sighting, which for most kinds is the one at which it
 * came back. A node is seen again every few minutes, and that would move: it is told where the state in between was last
 * seen, which it followed.
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
  return starts
}

function byVersion(a: StateStart<StateSpan>, b: StateStart<StateSpan>): number {
  if (a.version !== b.version) return a.version - b.version
  if (a.state.isDeleted !== b.state.isDeleted) return a.state.isDeleted ? 1 : -1
  return a.state.hash - b.state.hash
}

/** Whether facts are derived from the same: who wrote is told by the log of changes alone. */
export function haveSameStates(a: readonly StateStart<StateSpan>[], b: readonly StateStart<StateSpan>[]): boolean {
  return (
    a.length === b.length &&
    a.every((one, i) => {
      const other = b[i]!
      const isSameState = one.state.hash === other.state.hash && one.state.isDeleted === other.state.isDeleted
      return isSameState && one.version === other.version && one.ms === other.ms && one.change === other.change
    })
  )
}
