import type { ObjectObservation } from '../src/model/observation.ts'
import { HOUR_MS, MINUTE_MS } from './scenarios/window.ts'
import { historyOfPlan } from './history/history-of-plan.ts'
import type { ClusterPast } from './history/past-of-plan.ts'
import { atSecond } from './history/plan-history.ts'
import { listableObjects, listedAt } from './history/pulls.ts'
import { isHeard, livesOf, PULL_EVERY_MS, pullOffsetMs, watch, type ObjectLife } from './history/watch.ts'
import type { ClusterPlan } from './cluster-plan.ts'

/**
 * The Collector of one cluster: everything at its start, then what changes as it changes, and a list of all each half
 * hour, as long as the fleet lives.
 */
export interface SimCollector {
  readonly plan: ClusterPlan
  /** Since when it sees anything. */
  readonly sinceMs: number
  /** What it saw in [fromMs, untilMs), oldest first. Ask in time order. */
  recordsBetween(fromMs: number, untilMs: number): readonly ObjectObservation[]
}

/** Objects are worked out for so long at a time. */
const AHEAD_MS = 2 * HOUR_MS
/** Before its end what is worked out is not whole: an upgrade that begins after it is planned before it. */
const PLANNED_BEFORE_MS = HOUR_MS
/** What was worked out is forgotten when nothing happens for longer than this: of thousands of clusters most are at rest. */
const REST_MS = MINUTE_MS

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

/**
 * @param listsFromMs lists before this are not sent: they would tell what the watch tells
 * @param past what the Collector saw before the plan begins; nothing when absent
 */
export function createCollector(plan: ClusterPlan, listsFromMs: number, past?: ClusterPast): SimCollector {
  let ahead: Ahead | undefined
  /** Nothing happens before. */
  let restsUntilMs = -Infinity
  const offsetMs = pullOffsetMs(plan.profile)
  const pullAfter = (timeMs: number): number =>
    Math.ceil((Math.max(timeMs, listsFromMs) - offsetMs) / PULL_EVERY_MS) * PULL_EVERY_MS + offsetMs

  const rest = (worked: Ahead, untilMs: number): void => {
    const next = worked.watched.find(({ observedMs }) => observedMs >= untilMs)
    restsUntilMs = Math.min(next?.observedMs ?? Infinity, pullAfter(untilMs), worked.untilMs - PLANNED_BEFORE_MS)
    ahead = restsUntilMs > untilMs + REST_MS ? undefined : worked
  }

  return {
    plan,
    // Histories are of whole seconds, and what is there at their begin is told at once.
    sinceMs: past?.fromMs ?? atSecond(plan.startMs),
    recordsBetween(fromMs, untilMs) {
      if (untilMs <= restsUntilMs) return []
      if (ahead === undefined || ahead.untilMs - PLANNED_BEFORE_MS < untilMs)
        ahead = workOut(plan, untilMs + AHEAD_MS, past)
      const { watched, objects, isHeardAt } = ahead
      const records = watched.filter(({ observedMs }) => observedMs >= fromMs && observedMs < untilMs)
      for (let pullMs = pullAfter(fromMs); pullMs < untilMs; pullMs += PULL_EVERY_MS) {
        if (isHeardAt(pullMs)) records.push(...listedAt(plan.profile.name, objects, pullMs))
      }
      rest(ahead, untilMs)
      return records
    },
  }
}

function workOut(plan: ClusterPlan, untilMs: number, past: ClusterPast | undefined): Ahead {
  const history = historyOfPlan(plan, untilMs, past)
  const isThere = (kind: string): boolean => plan.isInstalled || WITHOUT_INSTANCE.has(kind)
  const lives = livesOf(history)
  return {
    untilMs,
    watched: watch(history, lives).observations.filter(
      ({ change, facts }) => change !== 'listed' && isThere(facts.kind),
    ),
    objects: listableObjects(history, lives).filter(({ states }) => isThere(states[0]!.facts.kind)),
    isHeardAt: (timeMs) => isHeard(history, timeMs),
  }
}
