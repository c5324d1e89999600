/**
 * What of the fleet's facts changed since it was last asked: whose pages show something else now. By what is derived anew,
 * and by what the clock alone changes: a cluster that falls silent, an upgrade that is stuck.
 */
import type { FleetCoverage } from '../clusters/fleet-coverage.ts'
import { isOpen } from '../stuck/stuck.ts'
import type { ClusterFacts } from '../../model/fleet-facts.ts'
import type { StuckVerdict } from '../../model/stuck.ts'

/** What a page may show of facts; the topics of the event feed that this is called there. */
export type ChangedFacts = 'clusters' | 'upgrades'

export interface FleetChangeWatch {
  /** Facts of a cluster were derived, and were others before or none. */
  derived(before: ClusterFacts | undefined, after: ClusterFacts): void
  /** How the fleet stands at a time. */
  stands(coverage: FleetCoverage, verdicts: readonly StuckVerdict[]): void
  /** How many clusters sent something that is not worked in: answers say so, and that it is done. */
  waits(count: number): void
  /** What changed since this was last called. */
  take(): readonly ChangedFacts[]
}

export function createFleetChangeWatch(): FleetChangeWatch {
  const changed = new Set<ChangedFacts>()
  let isBehind = true
  let standing: { readonly clusters: string; readonly stuck: string } | undefined
  return {
    derived: (before, after) => {
      changed.add('clusters')
      if (openUpgrades(before) !== openUpgrades(after)) changed.add('upgrades')
    },
    stands: ({ clusters, silent, unknown, gone }, verdicts) => {
      const now = {
        clusters: [clusters, silent, unknown, gone].join(' '),
        stuck: verdicts
          .flatMap(({ isStuck, upgradeId }) => (isStuck ? [upgradeId] : []))
          .sort()
          .join(' '),
      }
      if (standing !== undefined && standing.clusters !== now.clusters) changed.add('clusters')
      if (standing !== undefined && standing.stuck !== now.stuck) changed.add('upgrades')
      standing = now
    },
    waits: (count) => {
      if (isBehind && count === 0) changed.add('clusters')
      isBehind = count > 0
    },
    take: () => {
      const topics = [...changed]
      changed.clear()
      return topics
    },
  }
}

/** Those that are over change no more: how many there are says enough of them. */
function openUpgrades(facts: ClusterFacts | undefined): string {
  const upgrades = facts?.upgrades ?? []
  return `${upgrades.length} ${JSON.stringify(upgrades.filter(isOpen))}`
}
