import type { SeriesRef } from '../model/series.ts'
import type { ChunkWriter, FlushRow } from './chunks.ts'
import type { Head } from './head.ts'
import type { SeriesTable } from './series-table.ts'

/**
 * What goes, and when. Samples go by whole flushes: when the newest sample of a flush is past the retention, so its
 * oldest ones live a little longer than promised, and never shorter. A series goes when nothing of it is left.
 */

/** Chunks removed in one transaction. */
const CHUNKS_PER_STEP = 5000
/** Series ended in one transaction. */
export const SERIES_PER_STEP = 1000

/** Removes some chunks of the flushes that are past the retention; false when there are none. */
export function removeExpiredChunks(chunks: ChunkWriter, floorMs: number): boolean {
  const expired = chunks.flushes().find((flush) => flush.toMs < floorMs)
  if (expired === undefined) return false
  chunks.removeSome(expired.id, CHUNKS_PER_STEP)
  return true
}

/**
 * Slots of series without a sample: nothing in the head, and the newest flushed one before everything that is kept.
 * At most `SERIES_PER_STEP`.
 */
export function endedSlots(
  head: Head,
  table: SeriesTable,
  flushes: readonly FlushRow[],
  floorMs: number,
): readonly { readonly slot: number; readonly ref: SeriesRef }[] {
  const oldestKeptMs = flushes.reduce((oldest, flush) => Math.min(oldest, flush.fromMs), floorMs)
  const ended: { slot: number; ref: SeriesRef }[] = []
  for (let slot = 0; slot < head.lastMs.length && ended.length < SERIES_PER_STEP; slot++) {
    const ref = table.refOf(slot)
    if (ref !== 0 && head.lastMs[slot]! < oldestKeptMs && head.isEmpty(slot)) ended.push({ slot, ref })
  }
  return ended
}
