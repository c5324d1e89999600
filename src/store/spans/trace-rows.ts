import type Database from 'better-sqlite3'
import { SPAN_KINDS, type ServiceOperation, type Span, type SpanKind } from '../../model/span.ts'
import { durationNs } from './span-index.ts'
import { Statements } from '../statements.ts'

/** The tables of traces, as the writer uses them. Every statement runs inside the caller's transaction. */

/** Limit for names; senders choose them. Beyond it, spans are found by their service, or without a name. */
export const NAMES_MAX = 50_000

/** The name that every trace has. */
export const ANY_NAME = 0

export interface TraceRow {
  readonly id: number
  readonly startNs: bigint
  readonly lastStartNs: bigint
  readonly retainedFromMs: number
  readonly areTagsCut: boolean
  /** Spans were refused. */
  readonly isCut: boolean
}

export interface PartRow {
  readonly id: number
  readonly spanCount: number
  /** See `TraceSize`. */
  readonly bytes: number
}

/** Times and durations of a trace's spans of one name, in nanoseconds, all inclusive. */
interface NameExtent {
  lastStartNs: bigint
  durationMinNs: bigint
  durationMaxNs: bigint
}

interface TraceColumns {
  readonly id: bigint
  readonly start_ns: bigint
  readonly last_start_ns: bigint
  readonly kept_ms: bigint
  readonly tags_cut: bigint
  readonly is_cut: bigint
}

export class TraceRows extends Statements {
  readonly #find = this.db.prepare<[Uint8Array], TraceColumns>('SELECT * FROM trace WHERE trace_id = ?').safeIntegers()
  readonly #partsAfter = this.db.prepare<[number, number], { readonly id: number; readonly trace: number }>(
    'SELECT id, trace FROM trace_part WHERE id > ? ORDER BY id LIMIT ?',
  )
  readonly #byId = this.db
    .prepare<[bigint], TraceColumns & { readonly trace_id: Uint8Array }>('SELECT * FROM trace WHERE id = ?')
    .safeIntegers()
  readonly #add = this.db.prepare<[Uint8Array, bigint, bigint, number, number]>(
    'INSERT INTO trace (trace_id, start_ns, last_start_ns, kept_ms, tags_cut) VALUES (?, ?, ?, ?, ?)',
  )
  readonly #change = this.db.prepare<[bigint, bigint, number, number, number]>(
    'UPDATE trace SET start_ns = ?, last_start_ns = ?, kept_ms = ?, tags_cut = ? WHERE id = ?',
  )
  readonly #parts = this.db.prepare<[number], PartRow>(
    'SELECT id, span_count AS spanCount, bytes FROM trace_part WHERE trace = ? ORDER BY id',
  )
  readonly #payload = this.db.prepare<[number], { readonly links: Uint8Array; readonly payload: Uint8Array }>(
    'SELECT links, payload FROM trace_part WHERE id = ?',
  )
  readonly #markCut = this.db.prepare<[Uint8Array]>('UPDATE trace SET is_cut = 1 WHERE trace_id = ?')
  readonly #addPart = this.db.prepare<[number, number, number, Uint8Array, Uint8Array]>(
    'INSERT INTO trace_part (trace, span_count, bytes, links, payload) VALUES (?, ?, ?, ?, ?)',
  )
  readonly #removePart = this.db.prepare<[number]>('DELETE FROM trace_part WHERE id = ?')
  readonly #extents = this.db
    .prepare<[number], Record<'name' | 'last' | 'min' | 'max', bigint>>(
      `SELECT name, last_start_ns AS last, duration_min_ns AS min, duration_max_ns AS max
         FROM trace_name WHERE trace = ?`,
    )
    .safeIntegers()
  readonly #putExtent = this.db.prepare<[number, number, bigint, bigint, bigint, bigint]>(
    'INSERT OR REPLACE INTO trace_name VALUES (?, ?, ?, ?, ?, ?)',
  )
  readonly #addTag = this.db.prepare<[number, number]>('INSERT OR IGNORE INTO trace_tag VALUES (?, ?)')
  readonly #putUpgrade = this.db.prepare<[string, number]>(
    'INSERT OR REPLACE INTO upgrade_trace (cluster, trace) VALUES (?, ?)',
  )
  readonly #old = this.db.prepare<[number, number], { readonly id: number }>(
    'SELECT id FROM trace WHERE kept_ms < ? ORDER BY kept_ms LIMIT ?',
  )
  readonly #findName = this.db.prepare<[string, string], { readonly id: number; readonly kinds: number }>(
    'SELECT id, kinds FROM span_name WHERE service = ? AND operation = ?',
  )
  readonly #addName = this.db.prepare<[string, string, number]>(
    'INSERT INTO span_name (service, operation, kinds) VALUES (?, ?, ?)',
  )
  readonly #changeKinds = this.db.prepare<[number, number]>('UPDATE span_name SET kinds = kinds | ? WHERE id = ?')
  readonly #countNames = this.db.prepare<[], { readonly count: number }>('SELECT count(*) AS count FROM span_name')
  readonly #removeNames = this.db.prepare<[]>(
    'DELETE FROM span_name WHERE NOT EXISTS (SELECT 1 FROM trace_name WHERE name = span_name.id)',
  )
  readonly #removals: readonly Database.Statement<[number]>[]
  /** Cached rows of names. */
  readonly #names = new Map<string, { readonly id: number; readonly kinds: number }>()
  #nameCount: number | undefined

  constructor(db: Database.Database) {
    super(db)
    this.#removals = [
      'DELETE FROM trace_part WHERE trace = ?',
      'DELETE FROM trace_name WHERE trace = ?',
      'DELETE FROM trace_tag WHERE trace = ?',
      'DELETE FROM upgrade_trace WHERE trace = ?',
      'DELETE FROM trace WHERE id = ?',
    ].map((sql) => db.prepare<[number]>(sql))
  }

  find(traceId: string): TraceRow | undefined {
    const row = this.#find.get(Buffer.from(traceId, 'hex'))
    return row === undefined ? undefined : traceOf(row)
  }

  /** The traces of some parts after one, each once, and the last of these parts. */
  tracesOfParts(after: number, most: number) {
    const parts = this.#partsAfter.all(after, most)
    const traces = [...new Set(parts.map(({ trace }) => trace))].flatMap((trace) => {
      const row = this.#byId.get(BigInt(trace))
      return row === undefined ? [] : [{ ...traceOf(row), traceId: Buffer.from(row.trace_id).toString('hex') }]
    })
    return { last: parts.at(-1)?.id, traces }
  }

  add(traceId: string, row: Omit<TraceRow, 'id'>): number {
    const { startNs, lastStartNs, retainedFromMs, areTagsCut } = row
    const id = Buffer.from(traceId, 'hex')
    return Number(this.#add.run(id, startNs, lastStartNs, retainedFromMs, Number(areTagsCut)).lastInsertRowid)
  }

  /** All but `isCut`. */
  change({ id, startNs, lastStartNs, retainedFromMs, areTagsCut }: TraceRow): void {
    this.#change.run(startNs, lastStartNs, retainedFromMs, Number(areTagsCut), id)
  }

  /** Nothing when there is no such trace. */
  markCut(traceId: string): void {
    this.#markCut.run(Buffer.from(traceId, 'hex'))
  }

  /** In the order in which they were written. */
  parts(trace: number): readonly PartRow[] {
    return this.#parts.all(trace)
  }

  part(id: number): { readonly links: Uint8Array; readonly payload: Uint8Array } {
    return this.#payload.get(id)!
  }

  addPart(trace: number, { spanCount, bytes }: Omit<PartRow, 'id'>, links: Uint8Array, payload: Uint8Array): void {
    this.#addPart.run(trace, spanCount, bytes, links, payload)
  }

  removePart(id: number): void {
    this.#removePart.run(id)
  }

  /** Widens the extents of a trace's names, and moves them to its start. */
  putNames(trace: number, startNs: bigint, spans: readonly Span[]): void {
    const extents = new Map<number, NameExtent>()
    for (const { name, last, min, max } of this.#extents.all(trace)) {
      extents.set(Number(name), { lastStartNs: last, durationMinNs: min, durationMaxNs: max })
    }
    for (const span of spans) {
      for (const name of this.#namesOf(span)) widen(extents, name, span)
    }
    for (const [name, { lastStartNs, durationMinNs, durationMaxNs }] of extents) {
      this.#putExtent.run(trace, name, startNs, lastStartNs, capped(durationMinNs), capped(durationMaxNs))
    }
  }

  /** The number of a service; 0 when there is no room for it. */
  serviceOf(service: string): number {
    return this.#nameOf(service, '', 'unspecified')
  }

  addTags(trace: number, tags: ReadonlySet<number>): void {
    for (const tag of tags) this.#addTag.run(trace, tag)
  }

  putUpgrade(cluster: string, trace: number): void {
    this.#putUpgrade.run(cluster, trace)
  }

  remove(trace: number): void {
    for (const removal of this.#removals) removal.run(trace)
  }

  /** Removes the index of a trace before it is rewritten. */
  removeIndex(trace: number): void {
    this.db.prepare('DELETE FROM trace_name WHERE trace = ?').run(trace)
    this.db.prepare('DELETE FROM trace_tag WHERE trace = ?').run(trace)
  }

  /** Traces that are older, the oldest first. */
  olderThan(floorMs: number, most: number): readonly number[] {
    return this.#old.all(floorMs, most).map(({ id }) => id)
  }

  /** Removes names without traces. */
  removeUnusedNames(): void {
    this.#removeNames.run()
    this.forget()
  }

  /** Call after a rollback: rows added by the transaction do not exist. */
  forget(): void {
    this.#names.clear()
    this.#nameCount = undefined
  }

  #namesOf({ resource: { service }, name, kind }: Span): readonly number[] {
    return [ANY_NAME, this.#nameOf(service, '', kind), this.#nameOf(service, name, kind)]
  }

  #nameOf(service: string, operation: string, kind: SpanKind): number {
    const key = `${service.length}:${service}${operation}`
    const bit = 1 << SPAN_KINDS.indexOf(kind)
    let known = this.#names.get(key) ?? this.#findName.get(service, operation)
    if (known === undefined) {
      this.#nameCount ??= this.#countNames.get()!.count
      if (this.#nameCount >= NAMES_MAX) return ANY_NAME
      this.#nameCount++
      known = { id: Number(this.#addName.run(service, operation, bit).lastInsertRowid), kinds: bit }
    } else if ((known.kinds & bit) === 0) {
      known = { id: known.id, kinds: known.kinds | bit }
      this.#changeKinds.run(known.kinds, known.id)
    }
    this.#names.set(key, known)
    return known.id
  }
}

function traceOf(row: TraceColumns): TraceRow {
  return {
    id: Number(row.id),
    startNs: row.start_ns,
    lastStartNs: row.last_start_ns,
    retainedFromMs: Number(row.kept_ms),
    areTagsCut: row.tags_cut !== 0n,
    isCut: row.is_cut !== 0n,
  }
}

function widen(extents: Map<number, NameExtent>, name: number, span: Span): void {
  const duration = durationNs(span)
  const known = extents.get(name)
  if (known === undefined) {
    extents.set(name, { lastStartNs: span.startNs, durationMinNs: duration, durationMaxNs: duration })
    return
  }
  if (span.startNs > known.lastStartNs) known.lastStartNs = span.startNs
  if (duration < known.durationMinNs) known.durationMinNs = duration
  if (duration > known.durationMaxNs) known.durationMaxNs = duration
}

/** What a column holds: an end can be any 64 bits. */
function capped(durationNs: bigint): bigint {
  return durationNs > INT64_MAX ? INT64_MAX : durationNs
}

const INT64_MAX = 2n ** 63n - 1n

/** An operation and its kinds of span: bit n is kind n of `SPAN_KINDS`. */
// A type and not an interface: rows of PostgreSQL are records.
export type NameRow = { readonly name: string; readonly kinds: number }

/** Each operation once for each of its kinds, or for the wanted one. */
export function operationsOf(rows: readonly NameRow[], wanted?: SpanKind): readonly ServiceOperation[] {
  return rows.flatMap(({ name, kinds }) =>
    SPAN_KINDS.filter((kind, number) => (kinds & (1 << number)) !== 0 && (wanted ?? kind) === kind).map((kind) => ({
      name,
      kind,
    })),
  )
}
