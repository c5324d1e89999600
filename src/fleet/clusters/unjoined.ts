/** Clusters that are probably one: their senders give them different names. Pure. */
import type { KnownCluster } from './fleet-coverage.ts'
import { isUuid } from '../../model/cluster-identity.ts'
import { compareTexts } from '../version-order.ts'

export interface UnjoinedPair {
  /** The two names, in order. */
  readonly clusters: readonly [string, string]
  /** The name that shows it: one of the two, or a UUID that both have as an alias. */
  readonly by: string
  /** Who has to change what. */
  readonly action: string
}

/** By the first name. What proves that two names are one cluster was joined already (`ingest/cluster-registry.ts`). */
export function unjoinedPairs(clusters: Iterable<KnownCluster>): readonly UnjoinedPair[] {
  const all = [...clusters]
  const named = new Set(all.map(({ cluster }) => cluster))
  const pairs = new Map<string, UnjoinedPair>()
  const owners = new Map<string, string>()
  const add = (one: string, other: string, by: string): void => {
    const [first, second] = [one, other].sort(compareTexts) as [string, string]
    const key = JSON.stringify([first, second])
    if (!pairs.has(key)) pairs.set(key, { clusters: [first, second], by, action: actionOf(first, second) })
  }
  for (const { cluster, record } of all) {
    for (const alias of [...(record?.aliases ?? []), ...(record?.refusedAliases ?? [])]) {
      if (named.has(alias)) add(cluster, alias, alias)
      if (!isUuid(alias)) continue
      const owner = owners.get(alias)
      if (owner === undefined) owners.set(alias, cluster)
      else add(owner, cluster, alias)
    }
  }
  return [...pairs.values()].sort(
    (a, b) => compareTexts(a.clusters[0], b.clusters[0]) || compareTexts(a.clusters[1], b.clusters[1]),
  )
}

/** A name that people chose is kept, not a UUID. */
function actionOf(first: string, second: string): string {
  const [a, b] = [JSON.stringify(first), JSON.stringify(second)]
  if (isUuid(first) === isUuid(second)) return `Send the same \`cluster\` from the senders of ${a} and ${b}.`
  const [kept, other] = isUuid(first) ? [b, a] : [a, b]
  return `Set \`cluster\` to ${kept} at the sender of ${other}, then decommission ${other}.`
}
