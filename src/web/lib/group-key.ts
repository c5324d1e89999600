import { CLUSTER_ALIASES, CLUSTER_LABEL } from '../../model/cluster-identity.ts'

/**
 * The cluster of a group of alerts, from the key it is sent under: `{}:{alertname="KubeVirtDown", cluster="prague"}`.
 * `undefined` when alerts are not grouped by cluster: a message may then tell of several. Pure.
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
