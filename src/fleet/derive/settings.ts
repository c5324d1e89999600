/** How a cluster is set up, as its HyperConverged says: what is written there, never what holds by default. */
import type { ClusterSettings } from '../../model/cluster-record.ts'
import type { HyperConvergedFacts } from '../../model/object-facts.ts'

/** Of a cluster whose HyperConverged nobody told. */
const NOTHING_TOLD: ClusterSettings = { liveMigration: {}, featureGates: {} }

export function settingsOf(facts: HyperConvergedFacts | undefined): ClusterSettings {
  if (facts === undefined) return NOTHING_TOLD
  const { apiVersion, workloadUpdateMethods, evictionStrategy, uninstallStrategy, tuningPolicy } = facts
  return {
    apiVersion,
    ...(workloadUpdateMethods === undefined ? {} : { workloadUpdateMethods }),
    ...(evictionStrategy === undefined ? {} : { evictionStrategy }),
    ...(uninstallStrategy === undefined ? {} : { uninstallStrategy }),
    liveMigration: sortedByName(facts.liveMigration),
    featureGates: sortedByName(facts.featureGates),
    ...(tuningPolicy === undefined ? {} : { tuningPolicy }),
  }
}

/** Equal facts are equal bytes, in whatever order an object held them. */
export function sortedByName<T>(values: Readonly<Record<string, T>>): Readonly<Record<string, T>> {
  return Object.fromEntries(Object.entries(values).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
}
