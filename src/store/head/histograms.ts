import type Database from 'better-sqlite3'
import type { Histogram } from '../../model/histogram.ts'
import type { SeriesRef } from '../../model/series.ts'
import { ByteReader, ByteWriter } from '../bytes.ts'
import { hashOf, readHistogram, writeHistogram } from './histogram-codec.ts'
import { decodeHistogramPack, encodeHistogramPack, type TimedHistogram } from '../packs/histogram-pack.ts'
import { Statements } from '../statements.ts'
import { inTransaction, readable } from '../database.ts'

/**
 * Native histograms on the writer's side: one row each, by series and time, written in the transaction that logs their
 * samples, and packed per series when their samples are flushed. Only the samples (`HISTOGRAM_HIGH_WORD`) define which
 * histograms exist and their order, so all rules for samples hold for histograms: order, repeats, restarts, flushes. A
 * row without its sample is never read.
 */

/** Limit of a pack, which also spans at most a day: a query of minutes should not inflate weeks. */
const PACK_HISTOGRAMS = 1024
const PACK_SPAN_MS = 24 * 3_600_000
/** Work of one transaction: about ten milliseconds. */
const ROWS_PER_STEP = 500
const PACKS_PER_REMOVAL = 200

/** A histogram that is on its way into its sample. */
interface EncodedHistogram {
  readonly payload: Uint8Array
  /** The low word of its sample. */
  readonly hash: number
}

interface PendingRow {
  readonly ref: SeriesRef
  readonly timeMs: number
  readonly payload: Uint8Array
}

interface Row {
  readonly timeMs: number
  readonly payload: Uint8Array
}

interface PackRow {
  readonly fromMs: number
  readonly toMs: number
  readonly count: number
  readonly payload: Uint8Array
}

export class Histograms extends Statements {
  readonly #announce: (ref: SeriesRef) => void
  /** Series that have, or had, histograms. */
  readonly #series: Set<SeriesRef>
  readonly #bytes = new ByteWriter()
  #pending: PendingRow[] = []
  #pendingSeries: SeriesRef[] = []
  #pendingBytes = 0
  readonly #insertRow = this.db.prepare<[number, number, Uint8Array]>(
    'INSERT OR IGNORE INTO histogram (ref, time_ms, payload) VALUES (?, ?, ?)',
  )
  readonly #insertSeries = this.db.prepare<[number]>('INSERT OR IGNORE INTO histogram_series (ref) VALUES (?)')
  readonly #nextRef = this.db.prepare<[number, number], { ref: number }>(
    'SELECT ref FROM histogram WHERE ref > ? AND time_ms <= ? ORDER BY ref LIMIT 1',
  )
  readonly #rows = this.db.prepare<[number, number, number], Row>(
    'SELECT time_ms AS timeMs, payload FROM histogram WHERE ref = ? AND time_ms <= ? ORDER BY time_ms LIMIT ?',
  )
  readonly #removeRows = this.db.prepare<[number, number, number]>(
    'DELETE FROM histogram WHERE ref = ? AND time_ms >= ? AND time_ms <= ?',
  )
  readonly #newestPack = this.db.prepare<[number], PackRow>(
    `SELECT from_ms AS fromMs, to_ms AS toMs, count, payload FROM histogram_pack
       WHERE ref = ? ORDER BY from_ms DESC LIMIT 1`,
  )
  readonly #putPack = this.db.prepare<[number, number, number, number, Uint8Array]>(
    'INSERT OR REPLACE INTO histogram_pack (ref, from_ms, to_ms, count, payload) VALUES (?, ?, ?, ?, ?)',
  )
  readonly #removePacks = this.db.prepare<[number, number]>(
    `DELETE FROM histogram_pack WHERE (ref, from_ms) IN
       (SELECT ref, from_ms FROM histogram_pack WHERE to_ms < ? LIMIT ?)`,
  )
  readonly #endStatements: readonly Database.Statement<[number]>[]

  /** @param announce called before the first histogram of a series becomes readable */
  constructor(db: Database.Database, announce: (ref: SeriesRef) => void) {
    super(db)
    this.#announce = announce
    this.#endStatements = ['histogram', 'histogram_pack', 'histogram_series'].map((table) =>
      db.prepare<[number]>(`DELETE FROM ${table} WHERE ref = ?`),
    )
    this.#series = new Set(db.prepare<[], number>('SELECT ref FROM histogram_series').pluck().all())
  }

  /** Series with histograms, to be announced to readers. */
  get series(): ReadonlySet<SeriesRef> {
    return this.#series
  }

  /** Bytes that wait for the next commit. */
  get pendingBytes(): number {
    return this.#pendingBytes
  }

  encode(histogram: Histogram): EncodedHistogram {
    this.#bytes.clear()
    writeHistogram(this.#bytes, histogram)
    const payload = this.#bytes.take()
    return { payload, hash: hashOf(payload) }
  }

  /** Call before a histogram's sample becomes readable. */
  willAppend(ref: SeriesRef): void {
    if (this.#series.has(ref)) return
    this.#series.add(ref)
    this.#pendingSeries.push(ref)
    this.#announce(ref)
  }

  /** Call for a histogram whose sample was accepted. */
  append(ref: SeriesRef, timeMs: number, { payload }: EncodedHistogram): void {
    this.#pending.push({ ref, timeMs, payload })
    this.#pendingBytes += payload.length
  }

  /** Call in the transaction of a commit, and `written` after the commit. */
  write(): void {
    for (const ref of this.#pendingSeries) this.#insertSeries.run(ref)
    for (const { ref, timeMs, payload } of this.#pending) this.#insertRow.run(ref, timeMs, payload)
  }

  written(): void {
    if (this.#pendingSeries.length > 0) this.#pendingSeries = []
    if (this.#pending.length > 0) this.#pending = []
    this.#pendingBytes = 0
  }

  /** Series that have no samples any more; inside the caller's transaction. */
  end(refs: readonly SeriesRef[]): void {
    for (const ref of refs) {
      if (!this.#series.has(ref)) continue
      for (const statement of this.#endStatements) statement.run(ref)
    }
  }

  /** When that transaction is committed. */
  ended(refs: readonly SeriesRef[]): void {
    for (const ref of refs) this.#series.delete(ref)
  }

  /** Packs rows up to `cutMs` of the next series after `afterRef` (0 for the first). Undefined when none are left. */
  packSome(afterRef: SeriesRef, cutMs: number): SeriesRef | undefined {
    const ref = this.#nextRef.get(afterRef, cutMs)?.ref
    if (ref === undefined) return undefined
    const rows = this.#rows.all(ref, cutMs, ROWS_PER_STEP)
    // A damaged one is left out: its sample has no histogram then, and is not read.
    const histograms = rows.flatMap(({ timeMs, payload }) => {
      const histogram = readable(() => readHistogram(new ByteReader(payload)))
      return histogram === undefined ? [] : [{ timeMs, histogram }]
    })
    inTransaction(this.db, () => {
      if (histograms.length > 0) this.#pack(ref, histograms)
      this.#removeRows.run(ref, rows[0]!.timeMs, rows.at(-1)!.timeMs)
    })
    // The same series again when it may have more.
    return rows.length < ROWS_PER_STEP ? ref : ref - 1
  }

  /** Removes some packs that end before `floorMs`; false when none is left. */
  removeSome(floorMs: number): boolean {
    // Called every second, mostly without histograms: avoids opening a write transaction.
    return this.#series.size > 0 && this.#removePacks.run(floorMs, PACKS_PER_REMOVAL).changes > 0
  }

  /** Fills the newest pack, then creates further ones. Late histograms get separate packs. */
  #pack(ref: SeriesRef, histograms: readonly TimedHistogram[]): void {
    const newest = this.#newestPack.get(ref)
    const first = histograms[0]!
    let open: TimedHistogram[] = []
    if (newest !== undefined && newest.count < PACK_HISTOGRAMS && first.timeMs > newest.toMs) {
      if (first.timeMs - newest.fromMs <= PACK_SPAN_MS) {
        open = readable(() => decodeHistogramPack(newest.payload)) ?? []
      }
    }
    for (const one of histograms) {
      const isFull = open.length === PACK_HISTOGRAMS || (open.length > 0 && one.timeMs - open[0]!.timeMs > PACK_SPAN_MS)
      if (isFull) {
        this.#put(ref, open)
        open = []
      }
      open.push(one)
    }
    this.#put(ref, open)
  }

  #put(ref: SeriesRef, histograms: readonly TimedHistogram[]): void {
    const fromMs = histograms[0]!.timeMs
    this.#putPack.run(ref, fromMs, histograms.at(-1)!.timeMs, histograms.length, encodeHistogramPack(histograms))
  }
}
