import type Database from 'better-sqlite3'
import type { Exemplar } from '../../model/exemplar.ts'
import type { TimeRange } from '../../model/time-range.ts'
import type { SeriesRef } from '../../model/series.ts'
import { EXEMPLAR_COLUMNS, exemplarOf, type ExemplarRow } from './exemplars.ts'

/**
 * The exemplars of `refs` (sorted) in a range, each list oldest first. Reads all exemplars of the range: their number
 * is limited by an option, while a selector may match any number of series.
 */
export function readExemplars(
  db: Database.Database,
  refs: Uint32Array,
  { fromMs, toMs }: TimeRange,
): ReadonlyMap<SeriesRef, readonly Exemplar[]> {
  const found = new Map<SeriesRef, Exemplar[]>()
  if (refs.length === 0) return found
  const wanted = new Set<number>(refs)
  const rows = db.prepare<[number, number], ExemplarRow & { ref: number }>(
    `SELECT ref, ${EXEMPLAR_COLUMNS} FROM exemplar WHERE time_ms >= ? AND time_ms <= ? ORDER BY ref, seq`,
  )
  for (const row of rows.iterate(fromMs, toMs)) {
    if (!wanted.has(row.ref)) continue
    const known = found.get(row.ref)
    if (known === undefined) found.set(row.ref, [exemplarOf(row)])
    else known.push(exemplarOf(row))
  }
  return found
}
