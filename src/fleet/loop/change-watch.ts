/**
 * Which topics of pages changed since the last call of `take`: by facts that were derived again, and by time alone (a cluster
 * becomes silent, an upgrade becomes stuck).
 */
import type { FleetCoverage } from '../clusters/fleet-coverage.ts'
import { isOpen } from '../stuck/stuck.ts'
import type { ClusterFacts } from '../../model/fleet-facts.ts'
import type { StuckVerdict } from '../../model/stuck.ts'

/** Topics of the event feed. */
export type ChangedFacts = 'clusters' | 'upgrades'

export interface FleetChangeWatch {
  /** The facts of a cluster changed, or are its first ones. */
  derived(before: ClusterFacts | undefined, after: ClusterFacts): void
  update(coverage: FleetCoverage, verdicts: readonly StuckVerdict[]): void
  /** The number of clusters with input that is not derived: answers contain whether there are any. */
  setPending(count: number): void
  take(): readonly ChangedFacts[]
}

export function createFleetChangeWatch(): FleetChangeWatch {
  const changed = new Set<ChangedFacts>()
  let isPending = true
  let known: { readonly clusters: string; readonly stuck: string } | undefined
  return {
    derived: (before, after) => {
      changed.add('clusters')
      if (openUpgrades(before) !== openUpgrades(after)) changed.add('upgrades')
    },
    update: ({ clusters, silent, unknown, gone }, verdicts) => {
      const stuck = verdicts.flatMap(({ isStuck, upgradeId }) => (isStuck ? [upgradeId] : []))
      const now = { clusters: [clusters, silent, unknown, gone].join(' '), stuck: stuck.sort().join(' ') }
      if (known !== undefined && known.clusters !== now.clusters) changed.add('clusters')
      if (known !== undefined && known.stuck !== now.stuck) changed.add('upgrades')
      known = now
    },
    setPending: (count) => {
      if (isPending && count === 0) changed.add('clusters')
      isPending = count > 0
    },
    take: () => {
      const topics = [...changed]
      changed.clear()
      return topics
    },
  }
}

/** Ended upgrades do not change, so only their number counts. */
function openUpgrades(facts: ClusterFacts | undefined): string {
  const upgrades = facts?.upgrades ?? []
  return `${upgrades.length} ${JSON.stringify(upgrades.filter(isOpen))}`
}
