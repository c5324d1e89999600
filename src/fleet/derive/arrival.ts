import type { UpgradeRecord } from '../../model/upgrade.ts'

/** From then on a cluster ran the version; without a version it ran none. */
export interface Arrival {
  readonly version: string | undefined
  readonly atMs: number
  /** False: it ran the version already at the first observation. */
  readonly isKnown: boolean
  readonly resolutionSeconds: number
}

/**
 * A succeeded CSV is only the operator's deployment: the upgrade to its version decides whether and when the version was
 * reached. `undefined`: it was not reached.
 */
export function reachedBy(
  seen: Arrival & { readonly version: string },
  upgrades: readonly UpgradeRecord[],
): Arrival | undefined {
  const upgrade = upgrades
    .map(({ upgrade }) => upgrade)
    .filter(({ operator, to, startedMs = -Infinity }) => {
      return operator === 'kubevirt-hyperconverged' && to === seen.version && startedMs <= seen.atMs
    })
    .sort((a, b) => (a.startedMs ?? -Infinity) - (b.startedMs ?? -Infinity))
    .at(-1)
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
