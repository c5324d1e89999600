import { groupBy } from '../../base/group-by.ts'
import type { Upgrade, UpgradeRecord } from '../../model/upgrade.ts'

/** From then on a cluster ran the version; without a version it ran none. */
export interface Arrival {
  readonly version: string | undefined
  readonly atMs: number
  /** False: it ran the version already at the first observation. */
  readonly isKnown: boolean
  readonly resolutionSeconds: number
}

/** Upgrades of HCO by target version, earliest start first. */
export type UpgradesByTarget = ReadonlyMap<string, readonly Upgrade[]>

const startOf = ({ startedMs = -Infinity }: Upgrade): number => startedMs

export function upgradesByTarget(upgrades: readonly UpgradeRecord[]): UpgradesByTarget {
  const ofHco = upgrades
    .map(({ upgrade }) => upgrade)
    .filter(({ operator }) => operator === 'kubevirt-hyperconverged')
    // Infinities are equal, and their difference is no number.
    .sort((a, b) => (startOf(a) === startOf(b) ? 0 : startOf(a) - startOf(b)))
  return groupBy(ofHco, ({ to }) => to)
}

/**
 * A succeeded CSV is only the operator's deployment: the upgrade to its version decides whether and when the version was
 * reached. `undefined`: it was not reached.
 */
export function reachedBy(
  seen: Arrival & { readonly version: string },
  upgrades: UpgradesByTarget,
): Arrival | undefined {
  const upgrade = upgrades.get(seen.version)?.findLast((one) => startOf(one) <= seen.atMs)
  switch (upgrade?.state) {
    case undefined:
      return seen
    case 'succeeded':
      return upgrade.endedMs === undefined
        ? { ...seen, isKnown: false }
        : { version: seen.version, atMs: upgrade.endedMs, isKnown: true, resolutionSeconds: upgrade.resolutionSeconds }
    case 'unknown':
      return { ...seen, isKnown: false }
    case 'in_progress':
    case 'failed':
    case 'superseded':
    case 'rolled_back':
      return undefined
  }
}
