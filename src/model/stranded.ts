/** Why a version is stranded; the first reason that applies. See `StrandedVersion`. */
export const STRANDING_REASONS = ['failing', 'never_left', 'not_lately', 'not_offered'] as const
export type StrandingReason = (typeof STRANDING_REASONS)[number]

/**
 * A version of HCO that is not the newest of its major version, and from which no upgrade is known to succeed. `failing`: of
 * the upgrades from it that ended in the last 90 days, none succeeded. `never_left`: no upgrade from it ever succeeded.
 * `not_lately`: the last success is older. None of the three while an upgrade is in progress and none failed lately.
 * `not_offered`: upgrades succeed, but some clusters are AtLatestKnown although their peers were offered a newer version.
 */
export interface StrandedVersion {
  readonly version: string
  readonly reason: StrandingReason
  /** The stranded clusters by name: all recently reporting ones on it, or only those without an offered upgrade. */
  readonly clusters: readonly string[]
  /** All recently reporting clusters on it. */
  readonly population: number
  /** Newest version of the same major that any cluster runs. */
  readonly newest: string
  /** Upgrades to newer versions that ended lately, and those of them that succeeded. */
  readonly lately: { readonly ended: number; readonly succeeded: number }
  /** When an upgrade to a newer version last succeeded; absent: never, as far as stored. */
  readonly lastLeftMs?: number
  /** Clusters that were not offered what their peers were. */
  readonly notOffered: number
}
