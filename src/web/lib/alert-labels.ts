import { groupBy } from './group-by.ts'
import { CLUSTER_ALIASES, CLUSTER_LABEL } from '../../model/cluster-identity.ts'

/** Labels that have their own columns. */
export const SHOWN_ELSEWHERE: ReadonlySet<string> = new Set([
  'alertname',
  'severity',
  'operator_health_impact',
  CLUSTER_LABEL,
  ...CLUSTER_ALIASES,
])

interface Labelled {
  readonly fingerprint: string
  readonly cluster: string
  readonly labels: Readonly<Record<string, string>>
}

/**
 * The labels in which alerts of one name differ, as text, by fingerprint: two objects of one cluster can have the same
 * alert, and their rows must differ. Pure.
 */
export function ownLabels(same: readonly Labelled[]): ReadonlyMap<string, string> {
  const names = differingNames(same)
  const texts = new Map<string, string>()
  for (const { fingerprint, labels } of same) {
    const parts = names.flatMap((name) => (labels[name] === undefined ? [] : [labelText(name, labels[name])]))
    if (parts.length > 0) texts.set(fingerprint, parts.join('  '))
  }
  return texts
}

/** The same for alerts of several names. */
export function ownLabelsByName(
  alerts: readonly (Labelled & { readonly alertname: string })[],
): ReadonlyMap<string, string> {
  const byName = groupBy(alerts, ({ alertname }) => alertname)
  return new Map([...byName.values()].flatMap((same) => [...ownLabels(same)]))
}

/** The value of `component_name` is clear without the label's name; `code=500` is not. */
function labelText(name: string, value: string): string {
  return name.endsWith('_name') ? value : `${name}=${value}`
}

function differingNames(alerts: readonly Labelled[]): string[] {
  const names = new Set(alerts.flatMap(({ labels }) => Object.keys(labels)))
  const first = alerts[0]?.labels ?? {}
  return [...names]
    .filter((name) => !SHOWN_ELSEWHERE.has(name) && alerts.some(({ labels }) => labels[name] !== first[name]))
    .filter((name) => name !== 'namespace' || !isOfCluster(alerts, name))
    .sort()
}

/** The installation namespace of an operator differs by cluster only, and adds nothing to the cluster's name. */
function isOfCluster(alerts: readonly Labelled[], name: string): boolean {
  const values = new Map<string, string | undefined>()
  return alerts.every(({ cluster, labels }) => {
    if (!values.has(cluster)) values.set(cluster, labels[name])
    return values.get(cluster) === labels[name]
  })
}

/**
 * The cluster of an alert group, from its group key: `{}:{alertname="KubeVirtDown", cluster="prague"}`. `undefined` when
 * alerts are not grouped by cluster: a notification may then cover several clusters. Pure.
 */
export function clusterOfGroup(groupKey: string): string | undefined {
  const labels = new Map(
    [...groupKey.matchAll(/[{,]\s*(\w+)=("(?:[^"\\]|\\.)*")/g)].map(([, name = '', value = '""']) => [name, value]),
  )
  const quoted = [CLUSTER_LABEL, ...CLUSTER_ALIASES]
    .map((name) => labels.get(name))
    .find((value) => value !== undefined)
  return quoted === undefined || quoted === '""' ? undefined : unquote(quoted)
}

function unquote(quoted: string): string | undefined {
  try {
    return JSON.parse(quoted) as string
  } catch {
    return undefined
  }
}
