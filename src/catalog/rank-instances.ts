/** The instances of an alert, most urgent first, and the labels that distinguish them. */
import { sortInSteps } from '../base/sort-in-steps.ts'
import { mapInSteps, type Steps } from '../base/thread-slices.ts'
import { HEALTH_IMPACTS, healthImpactOf, SEVERITIES, severityOf, type Alert, type AlertState } from '../model/alert.ts'
import type { Labels } from '../model/labels.ts'

type Instance = Pick<Alert, 'labels' | 'state' | 'activeAtMs' | 'fingerprint'>

/** Firing, pending, resolved; in each the most severe, then the worst health impact, then the newest. */
export function rankInstances<T extends Instance>(instances: readonly T[]): T[] {
  return instances.map(ranked).sort(compareRanked).map(instanceOf)
}

/** The same for a list of any length. */
export function* rankInSteps<T extends Instance>(instances: readonly T[]): Steps<T[]> {
  const sorted = yield* sortInSteps(yield* mapInSteps(instances, ranked), compareRanked)
  return sorted.map(instanceOf)
}

interface Ranked<T> {
  readonly instance: T
  readonly rank: number
}

function ranked<T extends Instance>(instance: T): Ranked<T> {
  const { labels, state } = instance
  const severity = STATE_ORDER.indexOf(state) * SEVERITIES.length + SEVERITIES.indexOf(severityOf(labels))
  return { instance, rank: severity * HEALTH_IMPACTS.length + HEALTH_IMPACTS.indexOf(healthImpactOf(labels)) }
}

function compareRanked({ instance: a, rank: x }: Ranked<Instance>, { instance: b, rank: y }: Ranked<Instance>): number {
  return (
    x - y || b.activeAtMs - a.activeAtMs || (a.fingerprint < b.fingerprint ? -1 : a.fingerprint > b.fingerprint ? 1 : 0)
  )
}

function instanceOf<T>({ instance }: Ranked<T>): T {
  return instance
}

const STATE_ORDER: readonly AlertState[] = ['firing', 'pending', 'resolved']

/** Labels that are shown with each instance anyway. */
const SHOWN_ELSEWHERE = new Set(['alertname', 'cluster', 'severity', 'operator_health_impact'])

/** Per instance, the labels that not all instances share; none for a single instance. */
export function distinguishingLabels(all: readonly Labels[]): Record<string, string>[] {
  const names = new Set(all.flatMap((labels) => [...labels.pairs()].map(([name]) => name)))
  const differing = [...names].filter(
    (name) => !SHOWN_ELSEWHERE.has(name) && new Set(all.map((labels) => labels.get(name))).size > 1,
  )
  return all.map((labels) => labels.keep(new Set(differing)).toObject())
}
