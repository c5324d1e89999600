/**
 * What a version of HCO means: OpenShift Virtualization counts as the platform does, and what HCO checks and defaults
 * changed over its releases. Facts: HCO 1.y is OpenShift Virtualization 4.(y+4), and 4.23 is 5.0.
 */
export interface HcoRelease {
  readonly flavour: 'community' | 'openshift'
  /** As the community counts: 1.minor.patch. */
  readonly minor: number
  readonly patch: number
}

const VERSION = /^v?(\d+)\.(\d+)\.(\d+)/
const MINOR_OF_5_0 = 19

/** `undefined`: no version of HCO. */
export function hcoReleaseOf(version: string): HcoRelease | undefined {
  const parts = VERSION.exec(version)
  if (parts === null) return undefined
  const [major, minor, patch] = parts.slice(1).map(Number) as [number, number, number]
  if (major === 1) return { flavour: 'community', minor, patch }
  if (major === 4 && minor >= 4) return { flavour: 'openshift', minor: minor - 4, patch }
  return major === 5 ? { flavour: 'openshift', minor: MINOR_OF_5_0 + minor, patch } : undefined
}

/** Profiles of the descheduler that HCO accepts, by release; before 1.13 it did not look. */
const RELIEVE = ['KubeVirtRelieveAndMigrate', 'DevKubeVirtRelieveAndMigrate']

/** What HCO of this release says of a descheduler; `undefined`: it does not look. */
export function isDeschedulerMisconfigured(
  { minor, patch }: HcoRelease,
  descheduler: { readonly profiles: readonly string[]; readonly evictsInBackground?: boolean },
): boolean | undefined {
  if (minor < 13) return undefined
  if (minor <= 14) return descheduler.evictsInBackground !== true
  const isBefore1161 = minor === 15 || (minor === 16 && patch === 0)
  const accepted = isBefore1161 ? RELIEVE : [...RELIEVE, 'LongLifecycle']
  return !descheduler.profiles.some((profile) => accepted.includes(profile))
}
