/**
 * From all that is known of a cluster to its facts. A pure function of the set of observations: no clock, no order of
 * arrival, nothing remembered; the same set gives the same bytes.
 */
import type { ClusterFacts } from '../../model/fleet-facts.ts'
import type { ClusterObservations } from '../../model/observation.ts'
import type { UpgradeRecord } from '../../model/upgrade.ts'
import { deriveRecord } from './cluster.ts'
import { deriveIntervals } from './intervals.ts'
import { deriveModifications } from './modifications.ts'
import { deriveUpgrades } from './upgrades.ts'

export function deriveCluster(observations: ClusterObservations): ClusterFacts {
  return factsAround(observations, deriveUpgrades(observations))
}

/** The facts around upgrades that were derived from the same observations. */
export function factsAround(observations: ClusterObservations, upgrades: readonly UpgradeRecord[]): ClusterFacts {
  const intervals = deriveIntervals(observations, upgrades)
  return {
    cluster: deriveRecord(observations, intervals),
    intervals,
    upgrades,
    modifications: deriveModifications(observations, upgrades),
  }
}
