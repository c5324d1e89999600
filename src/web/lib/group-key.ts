import { CLUSTER_ALIASES, CLUSTER_LABEL } from '../../model/cluster-identity.ts'

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
