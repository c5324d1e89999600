/**
 * From all that is known of a cluster to its facts. A pure function of the set of observations: no clock, no order of
 * arrival, nothing remembered; the same set gives the same bytes.
 */
import type { ClusterFacts } from '../../model/fleet-facts.ts'
import type { ClusterObservations } from '../../model/observation.ts'
import { clusterHistory } from './cluster-history.ts'
import { deriveRecord } from './cluster.ts'
import { deriveIntervals } from './intervals.ts'
import { deriveModifications } from './modifications.ts'
import { upgradesOf } from './upgrades.ts'

export function deriveCluster(observations: ClusterObservations): ClusterFacts {
  const history = clusterHistory(observations)
  const upgrades = upgradesOf(history)
  const intervals = deriveIntervals(history, upgrades)
  return {
    cluster: deriveRecord(history, intervals),
    intervals,
    upgrades,
    modifications: deriveModifications(history, upgrades),
  }
}
