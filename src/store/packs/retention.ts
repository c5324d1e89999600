import type Database from 'better-sqlite3'
import type { SeriesRef } from '../../model/series.ts'
import type { BlockRow, BlockRows } from './blocks.ts'
import type { Head } from '../head/head.ts'
import type { StoreOptions } from '../options.ts'
import type { RollupRows } from '../rollups/rollup-rows.ts'
import type { SeriesTable } from '../index/series-table.ts'
import { hasTier, RAW_BIT, TIER_BITS } from '../rollups/tiers.ts'
import { inTransaction } from '../database.ts'

/**
 * Retention. The samples and each width of rollups have separate retentions and are removed by whole blocks, once the
 * newest sample of a block is older than the retention: the oldest samples live a little longer than configured, never
 * shorter. First the tier is removed from the block's `tiers`, then its rows are deleted (`stored`). A block is removed
 * with its last tier. A series becomes cold once no block with samples can contain it (`index/cooling.ts`), and is removed
 * once no block can.
 */

/** Packs removed in one transaction. */
const PACKS_PER_STEP = 200
/** Series ended in one transaction. */
export const SERIES_PER_STEP = 1000

type Retentions = Pick<StoreOptions, 'retentionRawMs' | 'retention5mMs' | 'retention1hMs' | 'retention1dMs'>

/** The retention of each tier, by its bit. */
export function retentionsOf(options: Retentions): ReadonlyMap<number, number> {
  const inOrder = [options.retentionRawMs, options.retention5mMs, options.retention1hMs, options.retention1dMs]
  return new Map(TIER_BITS.map((bit, i) => [bit, inOrder[i]!]))
}

/** The tiers that still retain a sample of time `toMs`. */
export function retainedTiers(toMs: number, nowMs: number, options: Retentions): number {
  let tiers = 0
  for (const [bit, retentionMs] of retentionsOf(options)) {
    if (retentionMs > 0 && toMs >= nowMs - retentionMs) tiers |= bit
  }
  return tiers
}

/**
 * The blocks whose tiers change at `nowMs`, with their new tiers. Samples stay until they are rolled up, unless
 * `mustMakeRoom`. A compaction in progress counts as one block: its parts change together.
 */
export function tierRemovals(
  blocks: readonly BlockRow[],
  nowMs: number,
  options: Retentions,
  mustMakeRoom: boolean,
): readonly { readonly block: BlockRow; readonly tiers: number }[] {
  const byId = new Map(blocks.map((block) => [block.id, block]))
  return blocks.flatMap((block) => {
    // The target spans its sources.
    const { toMs } = byId.get(block.intoBlock ?? block.id) ?? block
    let tiers = block.tiers & retainedTiers(toMs, nowMs, options)
    const waits = block.isRolled === 0 && hasTier(block.tiers, RAW_BIT) && !mustMakeRoom
    if (waits && retainedTiers(toMs, nowMs, options) !== 0) tiers |= RAW_BIT
    return tiers === block.tiers ? [] : [{ block, tiers }]
  })
}

/** Removes some rows of what blocks do not have any more, and blocks that have nothing; false when there is nothing to remove. */
export function removeLeftovers(
  db: Database.Database,
  { blocks, rollups }: { readonly blocks: BlockRows; readonly rollups: RollupRows },
): boolean {
  const block = blocks.all().find(({ tiers, stored, isRolled }) => tiers === 0 || (isRolled === 1 && stored !== tiers))
  if (block === undefined) return false
  inTransaction(db, () => {
    const bit = TIER_BITS.find((one) => hasTier(block.stored & ~block.tiers, one))
    if (bit === undefined) {
      blocks.remove(block.id)
      return
    }
    const isEmpty =
      bit === RAW_BIT ? blocks.removeSome(block.id, PACKS_PER_STEP) : rollups.removeSome(block.id, bit, PACKS_PER_STEP)
    if (isEmpty) blocks.setTiers(block.id, { ...block, stored: block.stored & ~bit })
  })
  return true
}

/** Before this nothing is stored, in blocks that have one of `tiers` (absent: any); at most `floorMs`. */
export function oldestStoredMs(blocks: readonly BlockRow[], floorMs: number, tiers?: number): number {
  const having = tiers === undefined ? blocks : blocks.filter((block) => (block.tiers & tiers) !== 0)
  return having.reduce((oldest, block) => Math.min(oldest, block.fromMs), floorMs)
}

/**
 * Slots of series without a sample: nothing in the head, and the newest flushed sample is older than `oldestMs`, the
 * oldest stored one. At most `SERIES_PER_STEP`.
 */
export function endedSlots(
  head: Head,
  table: SeriesTable,
  oldestMs: number,
): readonly { readonly slot: number; readonly ref: SeriesRef }[] {
  const ended: { slot: number; ref: SeriesRef }[] = []
  for (let slot = 0; slot < head.lastMs.length && ended.length < SERIES_PER_STEP; slot++) {
    const ref = table.refOf(slot)
    if (ref !== 0 && head.lastMs[slot]! < oldestMs && head.isEmpty(slot)) ended.push({ slot, ref })
  }
  return ended
}
