import { groupBy } from '../../base/group-by.ts'
import type Database from 'better-sqlite3'
import type { Exemplar } from '../../model/exemplar.ts'
import { compareLabels, Labels } from '../../model/labels.ts'
import type { SeriesRef } from '../../model/series.ts'
import type { TimeRange } from '../../model/time-range.ts'
import { floatOf } from '../bytes.ts'
import { Statements } from '../statements.ts'

/**
 * Exemplars on the writer's side, limited per series and in total; the oldest is evicted. Written with the next commit;
 * the stored ones are loaded at the first exemplar after a start. Rules of Prometheus: an exemplar equal to the newest
 * of its series is a repeat, and an older one is rejected.
 */

interface ExemplarOptions {
  /** Exemplars of all series; 0: none are stored. */
  readonly exemplarsMax: number
  /** Of one series; at least 1. */
  readonly exemplarsPerSeriesMax: number
}

/** What a pending exemplar takes beside its labels. */
const PENDING_BYTES = 300

interface Numbered {
  /** Order of arrival. */
  readonly seq: number
  readonly exemplar: Exemplar
}

/** A row of `exemplar`. */
interface ExemplarRow {
  readonly timeMs: number
  /** Eight bytes: SQLite stores a NaN as NULL. */
  readonly value: Uint8Array
  /** Names and values, alternating, as JSON. */
  readonly labels: string
}

const EXEMPLAR_COLUMNS = 'time_ms AS timeMs, value, labels'

function exemplarOf({ timeMs, value, labels }: ExemplarRow): Exemplar {
  const view = new DataView(value.buffer, value.byteOffset, value.byteLength)
  const flat = JSON.parse(labels) as string[]
  return { labels: Labels.fromFlat(flat), value: floatOf(view.getInt32(0, true), view.getInt32(4, true)), timeMs }
}

export class Exemplars extends Statements {
  readonly #options: ExemplarOptions
  readonly #insert = this.db.prepare<[number, number, number, Uint8Array, string]>(
    'INSERT INTO exemplar (seq, ref, time_ms, value, labels) VALUES (?, ?, ?, ?, ?)',
  )
  readonly #remove = this.db.prepare<[number]>('DELETE FROM exemplar WHERE seq = ?')
  readonly #removeOlder = this.db.prepare<[number]>('DELETE FROM exemplar WHERE time_ms < ?')
  /** Of each series, oldest first; undefined until it is read. */
  #bySeries: Map<SeriesRef, Numbered[]> | undefined
  /** The series of each exemplar, in order of arrival. */
  readonly #bySeq = new Map<number, SeriesRef>()
  #nextSeq = 1
  #added: { readonly ref: SeriesRef; readonly one: Numbered }[] = []
  #removed: number[] = []
  #pendingBytes = 0

  constructor(db: Database.Database, options: ExemplarOptions) {
    super(db)
    this.#options = options
  }

  get isDurable(): boolean {
    return this.#added.length === 0
  }

  /** Memory of pending exemplars. */
  get pendingBytes(): number {
    return this.#pendingBytes
  }

  /** False when it is older than the newest of its series, or none are stored. */
  append(ref: SeriesRef, exemplar: Exemplar): boolean {
    const { exemplarsMax, exemplarsPerSeriesMax } = this.#options
    if (exemplarsMax === 0) return false
    const bySeries = this.#loaded()
    const known = bySeries.get(ref) ?? []
    const newest = known.at(-1)
    if (newest !== undefined) {
      const order = compareExemplars(exemplar, newest.exemplar)
      if (order <= 0) return order === 0
    }
    const one = { seq: this.#nextSeq++, exemplar }
    known.push(one)
    bySeries.set(ref, known)
    this.#bySeq.set(one.seq, ref)
    this.#added.push({ ref, one })
    this.#pendingBytes += exemplar.labels.flat.reduce((sum, text) => sum + text.length, PENDING_BYTES)
    if (known.length > exemplarsPerSeriesMax) this.#drop(known[0]!.seq, ref)
    while (this.#bySeq.size > exemplarsMax) this.#drop(...this.#bySeq.entries().next().value!)
    return true
  }

  /** Call in the transaction of a commit, and `written` after the commit. */
  write(): void {
    for (const { ref, one } of this.#added) {
      const { timeMs, value, labels } = one.exemplar
      const bytes = new Uint8Array(8)
      new DataView(bytes.buffer).setFloat64(0, value, true)
      this.#insert.run(one.seq, ref, timeMs, bytes, JSON.stringify(labels.flat))
    }
    for (const seq of this.#removed) this.#remove.run(seq)
  }

  written(): void {
    if (this.#added.length === 0) return
    this.#added = []
    this.#removed = []
    this.#pendingBytes = 0
  }

  /** Removes exemplars older than the retention of samples. */
  removeOlder(floorMs: number): void {
    // Exemplars that are not yet written are usually newer; the next call removes the others.
    if (this.isDurable && this.#removeOlder.run(floorMs).changes > 0) this.#bySeries = undefined
  }

  /** Rows were removed. All must be durable. */
  reload(): void {
    this.#bySeries = undefined
  }

  /** Removes the oldest exemplar of a series. */
  #drop(seq: number, ref: SeriesRef): void {
    this.#bySeq.delete(seq)
    this.#removed.push(seq)
    const left = this.#bySeries!.get(ref)!.filter((one) => one.seq !== seq)
    if (left.length === 0) this.#bySeries!.delete(ref)
    else this.#bySeries!.set(ref, left)
  }

  #loaded(): Map<SeriesRef, Numbered[]> {
    if (this.#bySeries !== undefined) return this.#bySeries
    const bySeries = new Map<SeriesRef, Numbered[]>()
    this.#bySeq.clear()
    const rows = this.db.prepare<[], ExemplarRow & { seq: number; ref: number }>(
      `SELECT seq, ref, ${EXEMPLAR_COLUMNS} FROM exemplar ORDER BY seq`,
    )
    for (const row of rows.iterate()) {
      const one = { seq: row.seq, exemplar: exemplarOf(row) }
      const known = bySeries.get(row.ref)
      if (known === undefined) bySeries.set(row.ref, [one])
      else known.push(one)
      this.#bySeq.set(row.seq, row.ref)
      this.#nextSeq = row.seq + 1
    }
    return (this.#bySeries = bySeries)
  }
}

/**
 * The exemplars of `refs` (sorted) in a range, each list oldest first. Reads all exemplars of the range: their number
 * is limited by an option, while a selector may match any number of series.
 */
export function readExemplars(
  db: Database.Database,
  refs: Uint32Array,
  { fromMs, toMs }: TimeRange,
): ReadonlyMap<SeriesRef, readonly Exemplar[]> {
  if (refs.length === 0) return new Map()
  const wanted = new Set<number>(refs)
  const rows = db
    .prepare<[number, number], ExemplarRow & { ref: number }>(
      `SELECT ref, ${EXEMPLAR_COLUMNS} FROM exemplar WHERE time_ms >= ? AND time_ms <= ? ORDER BY ref, seq`,
    )
    .all(fromMs, toMs)
  const groups = groupBy(
    rows.filter(({ ref }) => wanted.has(ref)),
    ({ ref }) => ref,
  )
  return new Map([...groups].map(([ref, ofSeries]) => [ref, ofSeries.map(exemplarOf)]))
}

/** Of all series, in order of arrival; from the first one when numbers began anew, because none was left at a start. */
export function readExemplarsAfter(
  db: Database.Database,
  seq: number,
  max: number,
): readonly { readonly seq: number; readonly ref: SeriesRef; readonly exemplar: Exemplar }[] {
  const newest = db.prepare<[], number | null>('SELECT max(seq) FROM exemplar').pluck().get() ?? 0
  return db
    .prepare<[number, number], ExemplarRow & { seq: number; ref: number }>(
      `SELECT seq, ref, ${EXEMPLAR_COLUMNS} FROM exemplar WHERE seq > ? ORDER BY seq LIMIT ?`,
    )
    .all(newest < seq ? 0 : seq, max)
    .map((row) => ({ seq: row.seq, ref: row.ref, exemplar: exemplarOf(row) }))
}

/** By time, then value, then labels; 0 for equal exemplars. */
function compareExemplars(a: Exemplar, b: Exemplar): number {
  if (a.timeMs !== b.timeMs) return a.timeMs - b.timeMs
  if (!Object.is(a.value, b.value)) return a.value < b.value ? -1 : 1
  return compareLabels(a.labels, b.labels)
}
