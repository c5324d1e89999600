import type { UpgradeItem } from '../../contract/fleet-upgrades.ts'

/** A list of upgrades that is read, of which only the newest are asked for again. Pure. */
export interface UpgradeNews {
  /** What is read, in its order, each as it was last told. */
  readonly rows: readonly UpgradeItem[]
  /** Those that came since. */
  readonly newCount: number
}

/**
 * @param newest by their begin, the newest first, of the same filters
 * @param isNewestFirst whether the list is in that order too, from its first row on
 * @param readMs when its first row was read
 */
export function newUpgrades(
  read: readonly UpgradeItem[],
  newest: readonly UpgradeItem[],
  isNewestFirst: boolean,
  readMs: number,
): UpgradeNews {
  const fresh = new Map(newest.map((upgrade) => [upgrade.id, upgrade]))
  const known = new Set(read.map(({ id }) => id))
  // In another order one that is not read may be old and further down: only its begin tells.
  const isNew = ({ id, startedAt }: UpgradeItem): boolean =>
    !known.has(id) && (isNewestFirst || (startedAt !== null && Date.parse(startedAt) > readMs))
  return { rows: read.map((upgrade) => fresh.get(upgrade.id) ?? upgrade), newCount: newest.filter(isNew).length }
}
