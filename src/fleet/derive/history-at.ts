/** The history of a cluster as it was known at a past moment: states and runs that started later are left out. */
import { currentRuns, runAt } from './current-runs.ts'
import { type ClusterHistory, type FactsOf, type ObjectHistory, type ObjectState } from './cluster-history.ts'
import type { ObjectKind } from '../../model/object-facts.ts'

export function historyAt(history: ClusterHistory, atMs: number): ClusterHistory {
  return historyOf(history, atMs, ({ states }, count) => states.slice(0, count))
}

/** The same at rising moments without a copy of all states for each: what one call returns holds until the next call. */
export function historyOverTime(history: ClusterHistory): (atMs: number) => ClusterHistory {
  const known = new Map<ObjectHistory, ObjectState[]>()
  const firstStates: FirstStates = (object, count) => {
    let states = known.get(object)
    if (states === undefined) known.set(object, (states = []))
    for (let i = states.length; i < count; i++) states.push(object.states[i]!)
    return states
  }
  return (atMs) => historyOf(history, atMs, firstStates)
}

type FirstStates = (object: ObjectHistory, count: number) => readonly ObjectState[]

function historyOf(history: ClusterHistory, atMs: number, firstStates: FirstStates): ClusterHistory {
  const { observations } = history
  const ofKind = new Map<ObjectKind, readonly ObjectHistory[]>()
  return {
    ...history,
    observations: {
      ...observations,
      // Most readers read the histories alone.
      get objects() {
        return observations.objects.filter(({ observedMs }) => observedMs <= atMs)
      },
      get metrics() {
        return observations.metrics.flatMap((run) => runAt(run, atMs))
      },
      spans: [],
    },
    of: <K extends ObjectKind>(kind: K) => {
      let found = ofKind.get(kind)
      if (found === undefined)
        ofKind.set(kind, (found = history.of(kind).flatMap((one) => objectAt(one, atMs, firstStates))))
      return found as readonly ObjectHistory<FactsOf<K>>[]
    },
    runs: (signal) => history.runs(signal).flatMap((run) => runAt(run, atMs)),
    currentRuns: (signal) => currentRuns(history.runs(signal), atMs),
    spans: [],
    newestMs: history.newestMs === undefined ? undefined : Math.min(history.newestMs, atMs),
    newestObjectMs: history.newestObjectMs === undefined ? undefined : Math.min(history.newestObjectMs, atMs),
  }
}

function objectAt(object: ObjectHistory, atMs: number, firstStates: FirstStates): readonly ObjectHistory[] {
  const { states, gone } = object
  const count = states.findLastIndex((state) => state.atMs <= atMs) + 1
  if (count === 0) return []
  const isGone = gone !== undefined && gone.atMs <= atMs
  // What is known of it by itself, such as the path of a CSV, is known at all times since its last change.
  if (count === states.length && isGone === (gone !== undefined)) return [object]
  return [{ ...object, states: firstStates(object, count), gone: isGone ? gone : undefined }]
}
