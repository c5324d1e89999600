/** The states of a range of time, without a walk over all of them: each upgrade reads its own range. */
import { ByTime } from '../../base/by-time.ts'
import { remembered } from '../../base/remembered.ts'
import type { ObjectFacts } from '../../model/object-facts.ts'
import type { ObjectHistory, ObjectState } from './cluster-history.ts'

export interface Span {
  readonly fromMs: number
  /** Exclusive. */
  readonly toMs: number
}

const statesOf = remembered(({ states }: ObjectHistory) => new ByTime(states, ({ atMs }) => atMs))

const statesOfAll = remembered((objects: readonly ObjectHistory[]) => {
  const all = objects.flatMap((object) => object.states.map(({ atMs }) => ({ object, atMs })))
  return { all, byTime: new ByTime(all, ({ atMs }) => atMs) }
})

/** The numbers of the states of a range. States are in the order of versions; their times may not be. */
export function placesWithin(object: ObjectHistory, { fromMs, toMs }: Span): readonly number[] {
  return statesOf(object).placesWithin(fromMs, toMs)
}

export function statesWithin<F extends ObjectFacts>(object: ObjectHistory<F>, range: Span): readonly ObjectState<F>[] {
  return placesWithin(object, range).map((place) => object.states[place]!)
}

/** The last state, in the order of versions, of those before a time. */
export function lastStateBefore<F extends ObjectFacts>(
  object: ObjectHistory<F>,
  timeMs: number,
): ObjectState<F> | undefined {
  return statesOf(object).lastBefore(timeMs) as ObjectState<F> | undefined
}

export function lastStateUntil<F extends ObjectFacts>(
  object: ObjectHistory<F>,
  timeMs: number,
): ObjectState<F> | undefined {
  return statesOf(object).lastUntil(timeMs) as ObjectState<F> | undefined
}

/** Those with a state in a range, in their order. @param objects as a history returns them */
export function objectsWithin<F extends ObjectFacts>(
  objects: readonly ObjectHistory<F>[],
  { fromMs, toMs }: Span,
): readonly ObjectHistory<F>[] {
  const { all, byTime } = statesOfAll(objects)
  const found = new Set(byTime.placesWithin(fromMs, toMs).map((place) => all[place]!.object))
  return [...found] as ObjectHistory<F>[]
}
