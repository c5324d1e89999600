import type Database from 'better-sqlite3'
import type { ErasedCluster } from '../../model/erasure.ts'
import { METRIC_NAME } from '../../model/labels.ts'
import type { SeriesRef } from '../../model/series.ts'
import { checksumOf, floatOf } from '../bytes.ts'
import { inTransaction, readable } from '../database.ts'
import type { Exemplars } from '../head/exemplars.ts'
import type { Head } from '../head/head.ts'
import { removeCheckpoint } from '../head/head-checkpoint.ts'
import type { Histograms } from '../head/histograms.ts'
import { RunList } from '../head/run-list.ts'
import type { ColdSeriesRows } from '../index/cold-series.ts'
import type { Metadata } from '../index/metadata.ts'
import { readSeriesBatch, writeSeriesBatch, type BatchedSeries } from '../index/series-batch.ts'
import { statePageOf, type SeriesRows } from '../index/series-rows.ts'
import type { SeriesTable } from '../index/series-table.ts'
import type { GroupCommit } from '../log/group-commit.ts'
import { LogBuffer, readLogPayload } from '../log/log-codec.ts'
import type { Log } from '../log/log.ts'
import type { BlockRows } from '../packs/blocks.ts'
import { chunkAt, decodeDirectory, encodePack, inflatePayload, type Chunk } from '../packs/pack-codec.ts'
import { SERIES_PER_STEP } from '../packs/retention.ts'
import { StatePages } from '../packs/state-pages.ts'
import { rollupWithout } from '../rollups/rollup-pack.ts'

/**
 * Removes series with all their samples: from the head, the log, the checkpoint, packs, rollups, histograms and exemplars, and
 * then the series themselves with the label pairs that only they had. Each `yield` is the end of a step of some
 * milliseconds; what runs in between may add series and rows, and moves none of the removed ones. Done twice, the second time
 * finds nothing: after a crash it starts from the beginning.
 */

/** Rows whose directories are read in one step. */
const ROWS_PER_STEP = 64

export interface ErasedSeriesParts {
  readonly db: Database.Database
  readonly head: Head
  readonly table: SeriesTable
  readonly rows: SeriesRows
  readonly cold: ColdSeriesRows
  readonly log: Log
  readonly blocks: BlockRows
  readonly histograms: Histograms
  readonly exemplars: Exemplars
  readonly metadata: Metadata
  readonly commits: GroupCommit
  readonly seriesRemoved: (refs: readonly SeriesRef[], coldUntilMs?: number) => void
  /** Samples that a caller appends to these refs are refused. */
  readonly seriesErased: (refs: ReadonlySet<SeriesRef>) => void
}

/** Returns how many series and rows it removed or rewrote. */
export function* eraseSeries(parts: ErasedSeriesParts, cluster: ErasedCluster): Generator<void, number> {
  parts.commits.commitNow()
  const refs = yield* refsOf(parts, cluster)
  if (refs.size === 0) {
    // Of a pass that ended before this.
    yield* erasePairs(parts)
    return 0
  }
  parts.seriesErased(refs)
  yield* endSeries(parts, refs)
  // A start reads the log from its beginning then.
  while (removeCheckpoint(parts.db)) yield
  let removed = refs.size
  removed += yield* eraseFromLog(parts, refs)
  removed += yield* eraseFromPacks(parts, refs)
  removed += yield* eraseFromRollups(parts.db, refs)
  yield* eraseHistograms(parts, refs)
  yield* eraseStates(parts, refs)
  yield* eraseCold(parts, refs)
  yield* eraseBatches(parts.db, refs)
  yield* erasePairs(parts)
  return removed
}

/** The series, ended and cold ones too, of which a label that names a cluster has one of the names. */
function* refsOf({ db, cold }: ErasedSeriesParts, { names, labels }: ErasedCluster): Generator<void, Set<SeriesRef>> {
  const refs = new Set<SeriesRef>()
  for (const series of cold.segments()) {
    for (const { ref, labels: own } of series) if ([...labels].some((label) => names.has(own.get(label)))) refs.add(ref)
    yield
  }
  // Also of ended series, whose pairs are not in memory.
  const named = db.prepare<[string, string], number>(
    'SELECT id FROM pair WHERE name IN (SELECT value FROM json_each(?)) AND value IN (SELECT value FROM json_each(?))',
  )
  const naming = new Set(named.pluck().all(JSON.stringify([...labels]), JSON.stringify([...names])))
  if (naming.size === 0) return refs
  for (const { series } of batchesOf(db)) {
    readSeriesBatch(series, (ref, pairIds) => {
      if (pairIds.some((id) => naming.has(id))) refs.add(ref)
    })
    yield
  }
  return refs
}

interface BatchRow {
  readonly lastRef: number
  readonly series: Uint8Array
}

/** One after the other: between two steps batches may be added at the end. */
function* batchesOf(db: Database.Database, after = 0): Generator<BatchRow> {
  const next = db.prepare<[number], BatchRow>(
    'SELECT last_ref AS lastRef, series FROM series_batch WHERE last_ref > ? ORDER BY last_ref LIMIT 1',
  )
  for (let row = next.get(after); row !== undefined; row = next.get(row.lastRef)) yield row
}

/** As series without samples end, but with their samples; not as ended ones: a start after a crash has to find them again. */
function* endSeries(parts: ErasedSeriesParts, refs: ReadonlySet<SeriesRef>): Generator<void> {
  const { db, head, table, histograms } = parts
  const live = [...refs].filter((ref) => table.refOf(table.refs.get(ref)) === ref)
  const [runs, none] = [new RunList(), new RunList()]
  for (let from = 0; from < live.length; from += SERIES_PER_STEP) {
    const some = live.slice(from, from + SERIES_PER_STEP)
    inTransaction(db, () => {
      histograms.end(some)
    })
    histograms.ended(some)
    for (const ref of some) {
      const slot = table.refs.get(ref)
      head.collect(slot, runs)
      head.replace(slot, none)
      head.sampleCount -= runs.sampleCount
      table.remove(slot)
      head.leaveSlot(slot)
    }
    parts.seriesRemoved(some)
    head.reclaim()
    yield
  }
}

function* eraseFromLog({ db, log }: ErasedSeriesParts, refs: ReadonlySet<SeriesRef>): Generator<void, number> {
  const some = db.prepare<[number], { readonly id: number; readonly payload: Uint8Array }>(
    `SELECT id, payload FROM log WHERE id > ? ORDER BY id LIMIT ${ROWS_PER_STEP}`,
  )
  const buffer = new LogBuffer()
  let rewritten = 0
  for (let rows = some.all(0); rows.length > 0; rows = some.all(rows.at(-1)!.id)) {
    inTransaction(db, () => {
      for (const { id, payload } of rows) {
        let samples = 0
        buffer.clear()
        readLogPayload(payload, (ref, timeMs, low, high) => {
          samples++
          if (!refs.has(ref)) buffer.append(ref, timeMs, floatOf(low, high), low, high)
        })
        if (buffer.sampleCount === samples) continue
        log.rewrite(id, payload.length, buffer)
        rewritten++
      }
    })
    yield
  }
  return rewritten
}

interface PackRow {
  readonly id: number
  readonly block: number
  readonly metric: number
  readonly fromMs: number
  readonly toMs: number
  readonly firstRef: number
  readonly lastRef: number
  readonly directory: Uint8Array
}

/**
 * A changed pack is a new row: readers cache what they read of one, by its number. Newer rows are visited later. A damaged
 * pack that may have one of the series goes whole.
 */
function* eraseFromPacks({ db, blocks }: ErasedSeriesParts, refs: ReadonlySet<SeriesRef>): Generator<void, number> {
  const some = db.prepare<[number], PackRow>(
    `SELECT id, block, metric, from_ms AS fromMs, to_ms AS toMs, first_ref AS firstRef, last_ref AS lastRef, directory
       FROM pack WHERE id > ? ORDER BY id LIMIT ${ROWS_PER_STEP}`,
  )
  const payloadOf = db.prepare<[number], Uint8Array>('SELECT payload FROM pack WHERE id = ?').pluck()
  const remove = db.prepare<[number]>('DELETE FROM pack WHERE id = ?')
  let rewritten = 0
  for (let rows = some.all(0); rows.length > 0; rows = some.all(rows.at(-1)!.id)) {
    inTransaction(db, () => {
      for (const row of rows) {
        const left = readable(() => packWithout(row, () => payloadOf.get(row.id)!, refs))
        if (left === 'same' || (left === undefined && !hasBetween(refs, row))) continue
        remove.run(row.id)
        if (left !== undefined && left.length > 0) blocks.insert(row.block, row.metric, encodePack(left))
        rewritten++
      }
    })
    yield
  }
  return rewritten
}

/** Throws `MalformedBytesError`. */
function packWithout(
  { fromMs, toMs, directory: stored }: PackRow,
  payloadOf: () => Uint8Array,
  refs: ReadonlySet<SeriesRef>,
): readonly Chunk[] | 'same' {
  const directory = decodeDirectory(stored, fromMs, toMs)
  if (!directory.refs.some((ref) => refs.has(ref))) return 'same'
  const payload = inflatePayload(payloadOf(), directory)
  const left: Chunk[] = []
  for (const [i, ref] of directory.refs.entries()) {
    if (refs.has(ref)) continue
    const [from, to, runs] = [directory.fromsMs[i]!, directory.tosMs[i]!, directory.runs[i]!]
    left.push({ ref, fromMs: from, toMs: to, runs, payload: chunkAt(payload, directory, i) })
  }
  return left
}

function hasBetween(
  refs: ReadonlySet<SeriesRef>,
  { firstRef, lastRef }: Pick<PackRow, 'firstRef' | 'lastRef'>,
): boolean {
  return [...refs].some((ref) => ref >= firstRef && ref <= lastRef)
}

interface RollupRow {
  readonly id: number
  readonly block: number
  readonly tier: number
  readonly metric: number
  readonly firstRef: number
  readonly lastRef: number
  readonly edges: Uint8Array
}

function* eraseFromRollups(db: Database.Database, refs: ReadonlySet<SeriesRef>): Generator<void, number> {
  const some = db.prepare<[number], RollupRow>(
    `SELECT id, block, tier, metric, first_ref AS firstRef, last_ref AS lastRef, edges
       FROM rollup WHERE id > ? ORDER BY id LIMIT ${ROWS_PER_STEP}`,
  )
  const restOf = db.prepare<[number], { readonly extremes: Uint8Array; readonly sums: Uint8Array }>(
    'SELECT extremes, sums FROM rollup WHERE id = ?',
  )
  const remove = db.prepare<[number]>('DELETE FROM rollup WHERE id = ?')
  const insert = db.prepare<[number, number, number, number, number, Uint8Array, Uint8Array, Uint8Array]>(
    `INSERT INTO rollup (block, tier, metric, first_ref, last_ref, edges, extremes, sums)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  let rewritten = 0
  for (let rows = some.all(0); rows.length > 0; rows = some.all(rows.at(-1)!.id)) {
    inTransaction(db, () => {
      for (const row of rows) {
        const { id, block, tier, metric, edges } = row
        // `empty`: no other series is in it.
        const left = readable(() => rollupWithout(edges, () => restOf.get(id)!, refs) ?? 'empty')
        if (left === 'same' || (left === undefined && !hasBetween(refs, row))) continue
        remove.run(id)
        rewritten++
        if (left === undefined || left === 'empty') continue
        insert.run(block, tier, metric, left.firstRef, left.lastRef, left.edges, left.extremes, left.sums)
      }
    })
    yield
  }
  return rewritten
}

/** Also of series that ended before. */
function* eraseHistograms(
  { db, exemplars, commits }: ErasedSeriesParts,
  refs: ReadonlySet<SeriesRef>,
): Generator<void> {
  const statements = ['histogram', 'histogram_pack', 'histogram_series', 'exemplar'].map((table) =>
    db.prepare<[string]>(`DELETE FROM ${table} WHERE ref IN (SELECT value FROM json_each(?))`),
  )
  const list = [...refs]
  for (let from = 0; from < list.length; from += SERIES_PER_STEP) {
    const some = JSON.stringify(list.slice(from, from + SERIES_PER_STEP))
    commits.commitNow()
    inTransaction(db, () => {
      for (const statement of statements) statement.run(some)
    })
    exemplars.reload()
    yield
  }
}

/**
 * How far they were flushed, with the value of their last sample. A page is replaced by one that has the other series: a
 * start that does not find how far these were flushed would read their samples twice, or take them for series without any.
 */
function* eraseStates(parts: ErasedSeriesParts, refs: ReadonlySet<SeriesRef>): Generator<void> {
  const { db, rows, table } = parts
  const pages = new Set([...refs].map(statePageOf))
  const states = new StatePages(db, parts, [], pages)
  while (states.step()) yield
  const used = new Set([...table.sortedRefs()].map(statePageOf))
  for (const page of pages) if (!used.has(page)) rows.putStates(page, [])
  yield
}

function* eraseCold({ cold, table, metadata }: ErasedSeriesParts, refs: ReadonlySet<SeriesRef>): Generator<void> {
  for (let after: number | undefined = 0; after !== undefined;) {
    after = cold.eraseSome(refs, after, (metric) => {
      metadata.removeOf([metric], (name) => isMetric(name, { cold, table }))
    })?.last
    yield
  }
}

/** The series themselves; their label pairs are noted in the same transaction. */
function* eraseBatches(db: Database.Database, refs: ReadonlySet<SeriesRef>): Generator<void> {
  const replace = db.prepare<[Uint8Array, number, number]>(
    'UPDATE series_batch SET series = ?, checksum = ? WHERE last_ref = ?',
  )
  const remove = db.prepare<[number]>('DELETE FROM series_batch WHERE last_ref = ?')
  const note = db.prepare<[number]>('INSERT OR IGNORE INTO erased_pair (id) VALUES (?)')
  const forget = db.prepare<[number]>('DELETE FROM series_ended WHERE ref = ?')
  for (const { lastRef, series } of batchesOf(db)) {
    const left: BatchedSeries[] = []
    const pairs = new Set<number>()
    const gone: SeriesRef[] = []
    readSeriesBatch(series, (ref, pairIds) => {
      if (!refs.has(ref)) left.push({ ref, pairIds: [...pairIds] })
      else {
        gone.push(ref)
        for (const id of pairIds) pairs.add(id)
      }
    })
    if (gone.length > 0) {
      inTransaction(db, () => {
        for (const id of pairs) note.run(id)
        for (const ref of gone) forget.run(ref)
        if (left.length === 0) remove.run(lastRef)
        else {
          const batch = writeSeriesBatch(left)
          replace.run(batch, checksumOf(batch), lastRef)
        }
      })
    }
    yield
  }
}

type PairParts = Pick<ErasedSeriesParts, 'db' | 'table' | 'cold' | 'metadata' | 'commits'>

/** Label pairs of erased and cold series that no other series has, and metadata of metrics without series. */
export function* erasePairs({ db, table, cold, metadata, commits }: PairParts): Generator<void> {
  const candidates = new Set(db.prepare<[], number>('SELECT id FROM erased_pair').pluck().all())
  if (candidates.size === 0) return
  let scanned = 0
  for (const { lastRef, series } of batchesOf(db)) {
    keepUsed(candidates, series)
    scanned = lastRef
    yield
  }
  // In one step: nothing may begin to use a pair between the last look and its removal.
  commits.commitNow()
  for (const { series } of batchesOf(db, scanned)) keepUsed(candidates, series)
  // The number of a metric may be used again.
  for (const id of candidates) if (table.pairs.get(id) !== undefined) candidates.delete(id)
  inTransaction(db, () => {
    const removePair = db.prepare<[number], { name: string; value: string }>(
      'DELETE FROM pair WHERE id = ? RETURNING name, value',
    )
    const removed = Array.from(candidates, (id) => removePair.get(id))
    const names = removed.flatMap((pair) => (pair?.name === METRIC_NAME ? [pair.value] : []))
    db.exec('DELETE FROM erased_pair')
    metadata.removeOf(names, (name) => isMetric(name, { cold, table }))
  })
  yield
}

function isMetric(name: string, { cold, table }: Pick<PairParts, 'cold' | 'table'>): boolean {
  return table.pairs.find(METRIC_NAME, name) !== undefined || cold.metricNumberOf(name) !== undefined
}

function keepUsed(candidates: Set<number>, series: Uint8Array): void {
  if (candidates.size === 0) return
  readSeriesBatch(series, (_, pairIds) => {
    for (const id of pairIds) candidates.delete(id)
  })
}
