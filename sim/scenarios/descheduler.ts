import type { Release } from '../release.ts'

/**
 * HCO's check of the descheduler, which changed over its versions: the same object is right on one and wrong on another,
 * and an upgrade alone can raise the alert.
 */
export interface Descheduler {
  /** `devEnableEvictionsInBackground`, the way of 1.13 and 1.14. */
  readonly hasBackgroundEvictions: boolean
  readonly profiles: readonly string[]
}

const RELIEVE = ['KubeVirtRelieveAndMigrate', 'DevKubeVirtRelieveAndMigrate']

/** Right on every version. */
export const GOOD_DESCHEDULER: Descheduler = {
  hasBackgroundEvictions: true,
  profiles: ['DevKubeVirtRelieveAndMigrate'],
}

/** Right until 1.14 only. */
export const OLD_DESCHEDULER: Descheduler = { hasBackgroundEvictions: true, profiles: ['AffinityAndTaints'] }

/** Right from 1.17 only. */
export const LONG_LIFECYCLE_DESCHEDULER: Descheduler = { hasBackgroundEvictions: false, profiles: ['LongLifecycle'] }

/** Right on no version. */
export const WRONG_DESCHEDULER: Descheduler = { hasBackgroundEvictions: false, profiles: ['AffinityAndTaints'] }

/** HCO 1.15 and 1.16.0 call objects wrong that the versions before and after accept: their verdict is a warning. */
export function isTooStrict(release: Release): boolean {
  return release.minor === 15 || (release.minor === 16 && release.patch === 0)
}

/** Without the descheduler there is nothing to be wrong. */
export function isMisconfigured(descheduler: Descheduler | undefined, release: Release): boolean {
  if (descheduler === undefined || release.minor < 13) return false
  if (release.minor <= 14) return !descheduler.hasBackgroundEvictions
  const accepted = release.minor <= 16 ? RELIEVE : [...RELIEVE, 'LongLifecycle']
  return !descheduler.profiles.some((profile) => accepted.includes(profile))
}
