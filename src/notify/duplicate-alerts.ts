/**
 * Two reports of one thing. A cluster's own Prometheus raises `KubeVirtCRModified`, and so does the rule here that looks
 * at the fleet: both are shown, and one of them pages.
 *
 * An alert's full label set does not distinguish them (facts 11.6): the same alert has a pod, a job, a namespace or an
 * external label on one way and not on the other, and versions differ in them. Neither does the name alone: three names
 * stand for two alerts each, of other severity or component. So two alerts are one thing when at least one is external,
 * name and cluster are equal, and every label that both have is equal, less those that only say
 * who reported it.
 *
 * The one that fired here first notifies; of two at the same time the rule's. The others are as if inhibited by it. When it
 * resolves, the next one notifies. So a page is never sent twice for one thing, and never missing: an external alert that is
 * less exact than the rule's (it names no VM, they name one each) stands for one of them, and the others notify themselves.
 */
import type { Alert } from '../model/alert.ts'
import { CLUSTER_ALIASES, CLUSTER_LABEL, clusterOf } from '../model/cluster-identity.ts'
import { isExternal, type ExternalAlert } from './external-alert.ts'

/** Labels that say who reported an alert, not what it is about. */
const REPORTER_LABELS: ReadonlySet<string> = new Set([
  'prometheus',
  'prometheus_replica',
  'replica',
  'openshift_io_alert_source',
  'openshift_io_alert_rule_id',
  CLUSTER_LABEL,
  ...CLUSTER_ALIASES,
])

/** Old names of an alert by name: the present one, or the name itself. */
export type CanonicalName = (alertname: string) => string

/** By fingerprint of each alert that only repeats another, the fingerprint of that one. Looks at firing alerts only. */
export function duplicateAlerts(
  alerts: readonly (Alert | ExternalAlert)[],
  canonicalName: CanonicalName = (name) => name,
): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  const firing = alerts.filter(({ state }) => state === 'firing')
  const keyOf = ({ labels }: Alert): string => `${canonicalName(labels.get('alertname'))}\u0000${clusterOf(labels)}`
  const groups = new Map<string, (Alert | ExternalAlert)[]>()
  for (const alert of firing) if (isExternal(alert)) groups.set(keyOf(alert), [])
  if (groups.size === 0) return found
  for (const alert of firing) groups.get(keyOf(alert))?.push(alert)
  for (const group of groups.values()) {
    for (const [duplicate, original] of duplicatesIn(group)) found.set(duplicate, original)
  }
  return found
}

/** Of alerts of one name and cluster. */
function duplicatesIn(group: readonly (Alert | ExternalAlert)[]): ReadonlyMap<string, string> {
  const duplicates = new Map<string, string>()
  const originals: (Alert | ExternalAlert)[] = []
  /** External ones that stand for an alert of a rule already. */
  const taken = new Set<string>()
  for (const alert of [...group].sort(byFirst)) {
    const isOfRule = !isExternal(alert)
    const original = originals.find(
      (other) =>
        (!isOfRule || (isExternal(other) && !taken.has(other.fingerprint))) &&
        // Equal labels are one alert anyway: to receivers, and in every list by fingerprint.
        other.fingerprint !== alert.fingerprint &&
        isSameThing(alert, other),
    )
    if (original === undefined) {
      originals.push(alert)
      continue
    }
    if (isOfRule) taken.add(original.fingerprint)
    duplicates.set(alert.fingerprint, original.fingerprint)
  }
  return duplicates
}

function isSameThing(a: Alert, b: Alert): boolean {
  for (const [name, value] of a.labels.pairs()) {
    if (REPORTER_LABELS.has(name) || name === 'alertname') continue
    const other = b.labels.get(name)
    if (other !== '' && other !== value) return false
  }
  return true
}

function byFirst(a: Alert | ExternalAlert, b: Alert | ExternalAlert): number {
  return (
    firstSeenMs(a) - firstSeenMs(b) ||
    Number(isExternal(a)) - Number(isExternal(b)) ||
    (a.fingerprint < b.fingerprint ? -1 : 1)
  )
}

/** When it first fired here. An external alert may have fired at its sender long before. */
function firstSeenMs(alert: Alert | ExternalAlert): number {
  return isExternal(alert) ? alert.external.receivedAtMs : (alert.firedAtMs ?? alert.activeAtMs)
}
