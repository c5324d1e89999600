/**
 * Duplicate alerts: the Prometheus of a cluster and the rule over the fleet both report `KubeVirtCRModified`. Both alerts are
 * shown, and one of them notifies.
 *
 * The full label set does not identify duplicates (facts 11.6): the pod, job, namespace and external labels depend on the
 * source and on versions. Neither does the name: three names are used for two alerts each, with different severity or
 * component. Two alerts are duplicates when at least one is external, name and cluster are equal, and every label that both
 * have is equal, except for labels that identify the reporter.
 *
 * The alert that fired here first notifies; of two at the same time, that of the rule. The others count as inhibited by it.
 * When it resolves, the next one notifies. An external alert that is less specific than those of the rule (no VM, where each
 * of them names one) is the duplicate of one of them only, so the others notify.
 */
import type { Alert } from '../model/alert.ts'
import { CLUSTER_ALIASES, CLUSTER_LABEL, clusterOf } from '../model/cluster-identity.ts'
import { isExternal, type ExternalAlert } from './external-alert.ts'

/** Labels that identify the reporter of an alert, not its subject. */
const REPORTER_LABELS: ReadonlySet<string> = new Set([
  'prometheus',
  'prometheus_replica',
  'replica',
  'openshift_io_alert_source',
  'openshift_io_alert_rule_id',
  CLUSTER_LABEL,
  ...CLUSTER_ALIASES,
])

/** The present name of an alert, for an old name or the present one. */
export type CanonicalName = (alertname: string) => string

/** The fingerprint of the original by that of its duplicate; of firing alerts only. */
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
  /** External alerts that already have a duplicate of a rule. */
  const taken = new Set<string>()
  for (const alert of [...group].sort(byFirst)) {
    const isOfRule = !isExternal(alert)
    const original = originals.find(
      (other) =>
        (!isOfRule || (isExternal(other) && !taken.has(other.fingerprint))) &&
        // Alerts with equal labels are one alert for receivers and in every list by fingerprint.
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

/** When the alert first fired here. At the sender of an external alert it may have fired long before. */
function firstSeenMs(alert: Alert | ExternalAlert): number {
  return isExternal(alert) ? alert.external.receivedAtMs : (alert.firedAtMs ?? alert.activeAtMs)
}
