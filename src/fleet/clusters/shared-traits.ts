/** Traits that are more frequent in some clusters than in the rest of the fleet: versions, platform, labels of the cluster. */
import { CLUSTER_ALIASES, clusterOf } from '../../model/cluster-identity.ts'
import { HCO_CSV, type FleetReader } from '../fleet-reader.ts'

export interface SharedTrait {
  readonly label: string
  readonly value: string
  readonly having: number
  readonly havingOf: number
  readonly restHaving: number
  readonly restOf: number
  readonly lift: number
}

export interface SharedTraits {
  /** Clusters with any known trait. */
  readonly clusters: number
  /** The strongest first. */
  readonly shared: readonly SharedTrait[]
}

/** Values by cluster; a cluster in the middle of an upgrade has two. */
type Trait = ReadonlyMap<string, ReadonlySet<string>>

const TRAIT_QUERIES: readonly (readonly [name: string, label: string, expr: string])[] = [
  ['HCO version', 'version', `max by (cluster, version) (csv_succeeded{${HCO_CSV}} == 1)`],
  ['KubeVirt version', 'kubeversion', 'count by (cluster, kubeversion) (kubevirt_info)'],
  ['platform version', 'version', 'count by (cluster, version) (cluster_version{type="current"})'],
  ['platform', 'type', 'count by (cluster, type) (cluster_infrastructure_provider)'],
  ['provider region', 'region', 'count by (cluster, region) (cluster_infrastructure_provider)'],
]

/** One series of each cluster, whose labels are those of the cluster: region, environment and the like. */
const OWN_LABELS = 'kubevirt_hco_hyperconverged_cr_exists or kubevirt_hco_system_health_status'
/** Labels of a target, or of one cluster alone. */
const NO_TRAITS: ReadonlySet<string> = new Set([
  ...['__name__', 'cluster', 'instance', 'pod', 'job', 'container', 'endpoint', 'service', 'uid', 'node'],
  ...['prometheus', 'prometheus_replica', 'replica', 'reason', ...CLUSTER_ALIASES],
])
/** A label with more values identifies clusters and is not a trait. */
const VALUES_MAX = 100
const TRAITS_MAX = 12

/** @param withAlert at least two, else nothing is shared */
export async function readSharedTraits(
  reader: FleetReader,
  withAlert: ReadonlySet<string>,
  nowMs: number,
): Promise<SharedTraits> {
  const traits = await readTraits(reader, nowMs)
  const known = new Set([...traits.values()].flatMap((trait) => [...trait.keys()]))
  const shared = [...traits].flatMap(([label, trait]) => sharedOf(label, trait, withAlert))
  shared.sort((a, b) => b.lift - a.lift || b.having - a.having || (a.label < b.label ? -1 : 1))
  return { clusters: known.size, shared: shared.slice(0, TRAITS_MAX) }
}

async function readTraits(reader: FleetReader, nowMs: number): Promise<ReadonlyMap<string, Trait>> {
  const traits = new Map<string, Map<string, Set<string>>>()
  const put = (name: string, cluster: string, value: string): void => {
    if (cluster === '' || value === '') return
    const trait = traits.get(name) ?? new Map<string, Set<string>>()
    traits.set(name, trait)
    trait.set(cluster, (trait.get(cluster) ?? new Set()).add(value))
  }
  const queries = TRAIT_QUERIES.map(async ([name, label, expr]) => {
    for (const { labels } of await reader.instant(expr, nowMs)) put(name, clusterOf(labels), labels.get(label))
  })
  const own = reader.instant(OWN_LABELS, nowMs).then((samples) => {
    for (const { labels } of samples) {
      for (const [name, value] of labels.pairs()) if (!NO_TRAITS.has(name)) put(name, clusterOf(labels), value)
    }
  })
  await Promise.all([...queries, own])
  return traits
}

/** The values of one trait that are more frequent among the clusters with the alert than in the fleet. */
export function sharedOf(label: string, trait: Trait, withAlert: ReadonlySet<string>): readonly SharedTrait[] {
  const counts = new Map<string, { having: number; restHaving: number }>()
  let havingOf = 0
  let restOf = 0
  for (const [cluster, values] of trait) {
    const isWith = withAlert.has(cluster)
    if (isWith) havingOf++
    else restOf++
    for (const value of values) {
      const count = counts.get(value) ?? { having: 0, restHaving: 0 }
      if (isWith) count.having++
      else count.restHaving++
      counts.set(value, count)
    }
  }
  // A single cluster shares everything with itself, and without other clusters there is nothing to compare with.
  if (havingOf < 2 || restOf === 0 || counts.size > VALUES_MAX) return []
  return [...counts].flatMap(([value, { having, restHaving }]) => {
    const lift = having / havingOf / ((having + restHaving) / (havingOf + restOf))
    return having >= 2 && lift > 1 ? [{ label, value, having, havingOf, restHaving, restOf, lift }] : []
  })
}
