import type { SeriesRef } from '../../model/series.ts'
import { ByteReader, ByteWriter } from '../bytes.ts'

/**
 * Stored series: one row for all new series of a commit, because a row per series would cost more than all other work
 * on a new series. Neighbours share most of their pairs, so each number is stored as the difference from the same
 * position of the series before. Drawn in README.md.
 */

/** Of the largest numbers: a place, a count, a difference. */
const NUMBER_BYTES_MAX = 9

/** A series and the numbers of its label pairs, by label name. */
export interface BatchedSeries {
  readonly ref: SeriesRef
  readonly pairIds: ArrayLike<number>
}

/** @param series by rising ref */
export function writeSeriesBatch(series: readonly BatchedSeries[]): Uint8Array {
  const bytes = new ByteWriter(series.length * 32 + 64)
  let ref = 0
  let before: ArrayLike<number> = []
  for (const one of series) {
    const { length } = one.pairIds
    bytes.reserve((length + 2) * NUMBER_BYTES_MAX)
    bytes.unsigned(one.ref - ref)
    bytes.unsigned(length)
    for (let i = 0; i < length; i++) bytes.signed(one.pairIds[i]! - (before[i] ?? 0))
    ref = one.ref
    before = one.pairIds
  }
  return bytes.take()
}

/** Visits the series of a row; `pairIds` is valid during the visit. Throws `MalformedBytesError`. */
export function readSeriesBatch(batch: Uint8Array, visit: (ref: SeriesRef, pairIds: readonly number[]) => void): void {
  const bytes = new ByteReader(batch)
  const pairIds: number[] = []
  let ref = 0
  while (!bytes.isAtEnd) {
    ref += bytes.unsigned()
    const length = bytes.unsigned()
    for (let i = 0; i < length; i++) pairIds[i] = bytes.signed() + (pairIds[i] ?? 0)
    pairIds.length = length
    visit(ref, pairIds)
  }
}
