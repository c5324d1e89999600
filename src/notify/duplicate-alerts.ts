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
import { sortInSteps } from '../base/sort-in-steps.ts'
import { eachInSteps, type Steps } from '../base/thread-slices.ts'
import type { Alert } from '../model/alert.ts'
import { CLUSTER_ALIASES, CLUSTER_LABEL, clusterOf } from '../model/cluster-identity.ts'
import { isExternal, type ExternalAlert } from './external-alert.ts'
import { OriginalIndex } from './original-index.ts'

/** Labels that identify the reporter of an alert, not its subject. The name is compared before, by its present form. */
const REPORTER_LABELS: ReadonlySet<string> = new Set([
  'alertname',
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

type AnyAlert = Alert | ExternalAlert

/** Alerts of one name and cluster. */
interface Group {
  /** In the order given. */
  readonly alerts: readonly AnyAlert[]
  /** The fingerprint of the original by that of its duplicate. */
  readonly duplicates: ReadonlyMap<string, string>
}

/**
 * Remembers what it found, and compares only the alerts of names and clusters in which something changed. Linear in the
 * number of alerts, whatever their labels are.
 */
export class DuplicateAlerts {
  readonly #canonicalName: CanonicalName
  #groups: ReadonlyMap<string, Group> = new Map()
  #found: ReadonlyMap<string, string> = new Map()

  constructor(canonicalName: CanonicalName = (name) => name) {
    this.#canonicalName = canonicalName
  }

  /** As of the last update. */
  get found(): ReadonlyMap<string, string> {
    return this.#found
  }

  /** The fingerprint of the original by that of its duplicate; of firing alerts only. */
  *update(alerts: readonly AnyAlert[]): Steps<ReadonlyMap<string, string>> {
    const before = this.#groups
    const groups = new Map<string, Group>()
    let isChanged = false
    for (const [key, members] of yield* this.#groupsOf(alerts)) {
      const known = before.get(key)
      const isSame = known !== undefined && (yield* hasSameAlerts(known.alerts, members))
      groups.set(key, isSame ? known : { alerts: members, duplicates: yield* duplicatesIn(members) })
      isChanged ||= !isSame
    }
    this.#groups = groups
    if (!isChanged && groups.size === before.size) return this.#found
    const found = new Map<string, string>()
    for (const { duplicates } of groups.values()) {
      for (const [duplicate, original] of duplicates) found.set(duplicate, original)
    }
    return (this.#found = found)
  }

  /** Firing alerts by name and cluster, where at least one is external. */
  *#groupsOf(alerts: readonly AnyAlert[]): Steps<ReadonlyMap<string, readonly AnyAlert[]>> {
    const keyOf = ({ labels }: Alert): string =>
      `${this.#canonicalName(labels.get('alertname'))}\u0000${clusterOf(labels)}`
    const firing = alerts.filter(({ state }) => state === 'firing')
    const groups = new Map<string, AnyAlert[]>()
    yield* eachInSteps(firing, (alert) => {
      if (isExternal(alert)) groups.set(keyOf(alert), [])
    })
    if (groups.size === 0) return groups
    yield* eachInSteps(firing, (alert) => {
      groups.get(keyOf(alert))?.push(alert)
    })
    return groups
  }
}

function* hasSameAlerts(a: readonly AnyAlert[], b: readonly AnyAlert[]): Steps<boolean> {
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) {
    const [one, other] = [a[i]!, b[i]!]
    const isSame =
      one.fingerprint === other.fingerprint &&
      isExternal(one) === isExternal(other) &&
      firstSeenMs(one) === firstSeenMs(other)
    if (!isSame) return false
    if (i % COMPARED_PER_STEP === 0) yield
  }
  return true
}

const COMPARED_PER_STEP = 4096

function* duplicatesIn(group: readonly AnyAlert[]): Steps<ReadonlyMap<string, string>> {
  const duplicates = new Map<string, string>()
  const originals = new OriginalIndex()
  yield* eachInSteps(yield* sortInSteps([...group], byFirst), (alert) => {
    const { fingerprint } = alert
    const original = originals.add({ fingerprint, isOfRule: !isExternal(alert), flat: subjectLabels(alert) })
    if (original !== undefined) duplicates.set(fingerprint, original)
  })
  return duplicates
}

function subjectLabels({ labels: { flat } }: Alert): readonly string[] {
  const kept: string[] = []
  for (let i = 0; i < flat.length; i += 2) {
    if (!REPORTER_LABELS.has(flat[i]!)) kept.push(flat[i]!, flat[i + 1]!)
  }
  return kept
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
