import type { ObjectObservation } from '../model/observation.ts'
import { HOUR_MS } from './scenarios/window.ts'
import { historyOfPlan } from './history/history-of-plan.ts'
import { listableObjects, listedAt, type ObjectLife } from './history/pulls.ts'
import { isHeard, PULL_EVERY_MS, pullOffsetMs, watch } from './history/watch.ts'
import type { ClusterPlan } from './scenario.ts'

/**
 * The Collector of one cluster: everything at its start, then what changes as it changes, and a list of all each half
 * hour, as long as the fleet lives.
 */
export interface SimCollector {
  readonly plan: ClusterPlan
  /** What it saw in [fromMs, untilMs), oldest first. Ask in time order. */
  recordsBetween(fromMs: number, untilMs: number): readonly ObjectObservation[]
}

/** Objects are worked out for so long at a time. */
const AHEAD_MS = 12 * HOUR_MS

/** Kinds that are there without a HyperConverged object too. */
const WITHOUT_INSTANCE: ReadonlySet<string> = new Set([
  'clusterserviceversions',
  'subscriptions',
  'installplans',
  'operatorconditions',
  'catalogsources',
  'operatorgroups',
  'clusterversions',
  'clusteroperators',
  'machineconfigpools',
  'nodes',
])

interface Ahead {
  readonly untilMs: number
  readonly watched: readonly ObjectObservation[]
  readonly objects: readonly ObjectLife[]
  readonly isHeardAt: (timeMs: number) => boolean
}

/** @param listsFromMs lists before this are not sent: they would tell what the watch tells */
export function createCollector(plan: ClusterPlan, listsFromMs: number): SimCollector {
  let ahead: Ahead | undefined
  const aheadOf = (untilMs: number): Ahead => {
    if (ahead === undefined || ahead.untilMs < untilMs) ahead = workOut(plan, untilMs + AHEAD_MS)
    return ahead
  }
  return {
    plan,
    recordsBetween(fromMs, untilMs) {
      const { watched, objects, isHeardAt } = aheadOf(untilMs)
      const records = watched.filter(({ observedMs }) => observedMs >= fromMs && observedMs < untilMs)
      const offsetMs = pullOffsetMs(plan.profile)
      let pullMs = Math.ceil((Math.max(fromMs, listsFromMs) - offsetMs) / PULL_EVERY_MS) * PULL_EVERY_MS + offsetMs
      for (; pullMs < untilMs; pullMs += PULL_EVERY_MS) {
        if (isHeardAt(pullMs)) records.push(...listedAt(plan.profile.name, objects, pullMs))
      }
      return records
    },
  }
}

function workOut(plan: ClusterPlan, untilMs: number): Ahead {
  const history = historyOfPlan(plan, untilMs)
  const isThere = (kind: string): boolean => plan.isInstalled || WITHOUT_INSTANCE.has(kind)
  return {
    untilMs,
    watched: watch(history).observations.filter(({ change, facts }) => change !== 'listed' && isThere(facts.kind)),
    objects: listableObjects(history).filter(({ states }) => isThere(states[0]!.facts.kind)),
    isHeardAt: (timeMs) => isHeard(history, timeMs),
  }
}
