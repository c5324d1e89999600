import type { SeriesRef } from '../model/series.ts'
import type { BlockRow, BlockRows } from './blocks.ts'
import type { Head } from './head.ts'
import type { SeriesTable } from './series-table.ts'

/**
 * What goes, and when. Samples go by whole blocks: when the newest sample of a block is past the retention, so its
 * oldest ones live a little longer than promised, and never shorter. A series goes when nothing of it is left.
 */

/** Packs removed in one transaction. */
const PACKS_PER_STEP = 200
/** Series ended in one transaction. */
export const SERIES_PER_STEP = 1000

/** Removes some packs of the blocks that are past the retention; false when there are none. */
export function removeExpiredPacks(blocks: BlockRows, floorMs: number): boolean {
  const expired = blocks.all().find((block) => block.toMs < floorMs)
  if (expired === undefined) return false
  blocks.removeSome(expired.id, PACKS_PER_STEP)
  return true
}

/**
 * Slots of series without a sample: nothing in the head, and the newest flushed one before everything that is kept.
 * At most `SERIES_PER_STEP`.
 */
export function endedSlots(
  head: Head,
  table: SeriesTable,
  blocks: readonly BlockRow[],
  floorMs: number,
): readonly { readonly slot: number; readonly ref: SeriesRef }[] {
  const oldestKeptMs = blocks.reduce((oldest, block) => Math.min(oldest, block.fromMs), floorMs)
  const ended: { slot: number; ref: SeriesRef }[] = []
  for (let slot = 0; slot < head.lastMs.length && ended.length < SERIES_PER_STEP; slot++) {
    const ref = table.refOf(slot)
    if (ref !== 0 && head.lastMs[slot]! < oldestKeptMs && head.isEmpty(slot)) ended.push({ slot, ref })
  }
  return ended
}
