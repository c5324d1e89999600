/** Why clusters on a version are called stranded; the first that holds. See `StrandedVersion`. */
export const STRANDING_REASONS = ['failing', 'never_left', 'not_lately', 'not_offered'] as const
export type StrandingReason = (typeof STRANDING_REASONS)[number]

/**
 * A version of HCO that clusters run, that is not the newest of its major version, and from which no way out is known to
 * work. `failing`: upgrades from it ended in the last 90 days, and none of them succeeded. `never_left`: nobody was ever seen
 * leaving it. `not_lately`: the last who left it did so longer ago. None of the three while an upgrade from it is under way
 * and none failed lately. `not_offered`: others left it lately, but some clusters say that they are at the latest
 * version of their channel while their peers were offered a newer one long ago.
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
