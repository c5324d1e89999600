import type Database from 'better-sqlite3'
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

/** Series per row when the rows of schema version 5 are packed. */
const SERIES_PER_BATCH = 1000

/** Packs the rows of schema version 5, one per series, into batches. */
export function packSeriesRows(db: Database.Database): void {
  const rows = db.prepare<[], [number, Uint8Array, number]>('SELECT ref, pairs, ended FROM series ORDER BY ref').raw()
  const insert = db.prepare('INSERT INTO series_batch (last_ref, series) VALUES (?, ?)')
  const end = db.prepare('INSERT INTO series_ended (ref) VALUES (?)')
  const all = rows.all()
  for (let from = 0; from < all.length; from += SERIES_PER_BATCH) {
    const batch = all.slice(from, from + SERIES_PER_BATCH)
    insert.run(batch.at(-1)![0], writeSeriesBatch(batch.map(([ref, pairs]) => ({ ref, pairIds: readPairIds(pairs) }))))
    for (const [ref, , ended] of batch) if (ended !== 0) end.run(ref)
  }
  // Refs must not be reused, even those of removed series.
  const given = db.prepare<[], { seq: number }>("SELECT seq FROM sqlite_sequence WHERE name = 'series'").get()?.seq ?? 0
  if (given === 0) return
  if (all.length === 0) insert.run(given, writeSeriesBatch([]))
  db.prepare("UPDATE sqlite_sequence SET seq = ? WHERE name = 'series_batch'").run(given)
}

function readPairIds(blob: Uint8Array): readonly number[] {
  const bytes = new ByteReader(blob)
  const ids: number[] = []
  while (!bytes.isAtEnd) ids.push(bytes.unsigned())
  return ids
}
