import type { AlertItem } from '../../contract/alerts.ts'
import { CLUSTER_ALIASES, CLUSTER_LABEL } from '../../model/cluster-identity.ts'

/** Shown in columns of their own. */
const SHOWN_ELSEWHERE: ReadonlySet<string> = new Set([
  'alertname',
  'severity',
  'operator_health_impact',
  CLUSTER_LABEL,
  ...CLUSTER_ALIASES,
])

/**
 * What tells each alert from the others of its name: the labels in which they differ, as `name=value`. Two objects of
 * one cluster can have the same alert, and a list must not show the same row twice. Keyed by fingerprint. Pure.
 */
export function ownLabels(alerts: readonly AlertItem[]): ReadonlyMap<string, string> {
  const byName = new Map<string, AlertItem[]>()
  for (const alert of alerts) {
    const same = byName.get(alert.alertname)
    if (same === undefined) byName.set(alert.alertname, [alert])
    else same.push(alert)
  }
  const texts = new Map<string, string>()
  for (const same of byName.values()) {
    const names = differingNames(same)
    for (const { fingerprint, labels } of same) {
      const parts = names.flatMap((name) => (labels[name] === undefined ? [] : [`${name}=${labels[name]}`]))
      if (parts.length > 0) texts.set(fingerprint, parts.join(' '))
    }
  }
  return texts
}

function differingNames(alerts: readonly AlertItem[]): string[] {
  const names = new Set(alerts.flatMap(({ labels }) => Object.keys(labels)))
  const first = alerts[0]?.labels ?? {}
  return [...names]
    .filter((name) => !SHOWN_ELSEWHERE.has(name) && alerts.some(({ labels }) => labels[name] !== first[name]))
    .sort()
}
