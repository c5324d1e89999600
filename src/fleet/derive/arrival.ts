import type { UpgradeRecord } from '../../model/upgrade.ts'

/** A cluster came to run a version, or (without one) ceased to run any. */
export interface Arrival {
  readonly version: string | undefined
  readonly atMs: number
  /** False: it was so already when it was first looked at. */
  readonly isKnown: boolean
  readonly resolutionSeconds: number
}

/**
 * A CSV that succeeded is the operator's deployment, not its arrival: the upgrade that led there says whether and when its
 * version was reached. `undefined`: the operator runs, but its version was not reached.
 */
export function reachedBy(
  seen: Arrival & { readonly version: string },
  upgrades: readonly UpgradeRecord[],
): Arrival | undefined {
  const led = upgrades
    .map(({ upgrade }) => upgrade)
    .filter(({ operator, to, startedMs = -Infinity }) => {
      return operator === 'kubevirt-hyperconverged' && to === seen.version && startedMs <= seen.atMs
    })
    .sort((a, b) => (a.startedMs ?? -Infinity) - (b.startedMs ?? -Infinity))
    .at(-1)
  switch (led?.state) {
    case undefined:
      return seen
    case 'succeeded':
      return led.endedMs === undefined
        ? { ...seen, isKnown: false }
        : { version: seen.version, atMs: led.endedMs, isKnown: true, resolutionSeconds: led.resolutionSeconds }
    case 'unknown':
      return { ...seen, isKnown: false }
    case 'in_progress':
    case 'failed':
    case 'superseded':
    case 'rolled_back':
      return undefined
  }
}
