/** The instances of an alert, most urgent first, and the labels that distinguish them. */
import { HEALTH_IMPACTS, healthImpactOf, SEVERITIES, severityOf, type Alert, type AlertState } from '../model/alert.ts'
import type { Labels } from '../model/labels.ts'

type Instance = Pick<Alert, 'labels' | 'state' | 'activeAtMs' | 'fingerprint'>

/** Firing, pending, resolved; in each the most severe, then the worst health impact, then the newest. */
export function rankInstances<T extends Instance>(instances: readonly T[]): T[] {
  return [...instances].sort(
    (a, b) =>
      STATE_ORDER.indexOf(a.state) - STATE_ORDER.indexOf(b.state) ||
      SEVERITIES.indexOf(severityOf(a.labels)) - SEVERITIES.indexOf(severityOf(b.labels)) ||
      HEALTH_IMPACTS.indexOf(healthImpactOf(a.labels)) - HEALTH_IMPACTS.indexOf(healthImpactOf(b.labels)) ||
      b.activeAtMs - a.activeAtMs ||
      (a.fingerprint < b.fingerprint ? -1 : a.fingerprint > b.fingerprint ? 1 : 0),
  )
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
