/** The history of a cluster as it was known at a past moment: states and runs that started later are left out. */
import { currentRuns, runAt } from './current-runs.ts'
import { type ClusterHistory, type FactsOf, type ObjectHistory } from './cluster-history.ts'
import type { ObjectFacts, ObjectKind } from '../../model/object-facts.ts'

export function historyAt(history: ClusterHistory, atMs: number): ClusterHistory {
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
      if (found === undefined) ofKind.set(kind, (found = history.of(kind).flatMap((one) => objectAt(one, atMs))))
      return found as readonly ObjectHistory<FactsOf<K>>[]
    },
    runs: (signal) => history.runs(signal).flatMap((run) => runAt(run, atMs)),
    currentRuns: (signal) => currentRuns(history.runs(signal), atMs),
    spans: [],
    newestMs: history.newestMs === undefined ? undefined : Math.min(history.newestMs, atMs),
    newestObjectMs: history.newestObjectMs === undefined ? undefined : Math.min(history.newestObjectMs, atMs),
  }
}

function objectAt<F extends ObjectFacts>(object: ObjectHistory<F>, atMs: number): readonly ObjectHistory<F>[] {
  const { states, gone } = object
  const count = states.findLastIndex((state) => state.atMs <= atMs) + 1
  if (count === 0) return []
  const isGone = gone !== undefined && gone.atMs <= atMs
  return [{ ...object, states: states.slice(0, count), gone: isGone ? gone : undefined }]
}
