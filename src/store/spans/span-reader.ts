import type { Cancellation } from '../../base/cancellation.ts'
import { forEachInSlices, Slice } from '../../base/thread-slices.ts'
import { compareText } from '../../model/labels.ts'
import {
  type ServiceDependency,
  type ServiceOperation,
  type Span,
  type SpanKind,
  type StoredTrace,
  type TraceQuery,
  type TraceReader,
  type UpgradeSpanReader,
} from '../../model/span.ts'
import { asFailure, failureOf, openDatabaseForReading } from '../database.ts'
import { decodeSpans, eachSpan } from './span-codec.ts'
import { isUpgradeSpan, tagOf } from './span-index.ts'
import { eachLink, type SpanLinkRow } from './span-links.ts'
import { matchingTraces } from './trace-search.ts'
import { ANY_NAME, NAMES_MAX, operationsOf, type NameRow } from './trace-rows.ts'
import { Statements } from '../statements.ts'

/** Traces, read on a separate connection. An index finds candidates; the spans themselves decide. */
export interface SpanReader extends TraceReader, UpgradeSpanReader {
  /** As `search`, without spans that are not shown: they match nothing, and traces do not have them. */
  searchSpans(query: TraceQuery, isShown: (span: Span) => boolean, signal?: Cancellation): AsyncIterable<StoredTrace>
  close(): void
}

/** Maximum distance of a normal trace's start before the requested range; longer traces have a separate index. */
export const LONG_NS = 3_600_000_000_000n

const INT64_MAX = 2n ** 63n - 1n

/** Names stay for a while after their last trace is removed. */
const IS_USED = 'EXISTS (SELECT 1 FROM trace_name WHERE name = span_name.id)'

/** Opens what a writer made. Throws FleetError. */
export function openSpansForReading(dir: string): SpanReader {
  const db = openDatabaseForReading(dir)
  try {
    return asFailure('reading traces', () => new SqlSpanReader(db))
  } catch (thrown) {
    db.close()
    throw thrown
  }
}

interface Candidate {
  readonly trace: bigint
  readonly traceId: Uint8Array
  readonly startNs: bigint
  readonly isCut: bigint
}

type Started = Pick<Candidate, 'trace' | 'startNs'>

export const CANDIDATES_AT_ONCE = 200

/** On a connection of the caller's, which `close` closes. */
export class SqlSpanReader extends Statements implements SpanReader {
  readonly #parts = this.db
    .prepare<[bigint | number], Uint8Array>('SELECT payload FROM trace_part WHERE trace = ? ORDER BY id')
    .pluck()
  readonly #find = this.db.prepare<[Uint8Array], { readonly id: number; readonly isCut: number }>(
    'SELECT id, is_cut AS isCut FROM trace WHERE trace_id = ?',
  )
  /** By start, newest first; then by number. */
  readonly #started = this.db
    .prepare<[bigint, bigint, bigint, bigint], Started>(
      `SELECT trace, start_ns AS startNs FROM trace_name
       WHERE name = ${ANY_NAME} AND start_ns <= ? AND (start_ns < ? OR trace > ?) AND last_start_ns >= ?
       ORDER BY start_ns DESC, trace LIMIT ${CANDIDATES_AT_ONCE}`,
    )
    .safeIntegers()
  readonly #links = this.db.prepare<[bigint], Uint8Array>('SELECT links FROM trace_part WHERE trace = ?').pluck()
  readonly #changed = this.db.prepare<[number], { readonly cluster: string; readonly position: number }>(
    'SELECT cluster, max(position) AS position FROM upgrade_trace WHERE position > ? GROUP BY cluster',
  )
  readonly #upgradeTraces = this.db.prepare<[string], { readonly trace: number; readonly traceId: Uint8Array }>(
    'SELECT trace, trace_id AS traceId FROM upgrade_trace JOIN trace ON trace.id = trace WHERE cluster = ?',
  )
  readonly #nameId = this.db
    .prepare<[string, string], number>('SELECT id FROM span_name WHERE service = ? AND operation = ?')
    .pluck()

  services(): Promise<readonly string[]> {
    return this.#reading(() =>
      this.db
        .prepare<[], string>(`SELECT service FROM span_name WHERE operation = '' AND ${IS_USED} ORDER BY service`)
        .pluck()
        .all(),
    )
  }

  operations(service: string, kind?: SpanKind): Promise<readonly ServiceOperation[]> {
    return this.#reading(() => {
      const rows = this.db
        .prepare<[string], NameRow>(
          `SELECT operation AS name, kinds FROM span_name
           WHERE service = ? AND operation <> '' AND ${IS_USED} ORDER BY operation`,
        )
        .all(service)
      return operationsOf(rows, kind)
    })
  }

  async trace(traceId: string, signal?: Cancellation): Promise<StoredTrace | undefined> {
    const row = reading(() => this.#find.get(Buffer.from(traceId, 'hex')))
    return row === undefined ? undefined : this.#traceOf(traceId, row.id, row.isCut === 1, new Slice(), signal)
  }

  search(query: TraceQuery, signal?: Cancellation): AsyncIterable<StoredTrace> {
    return this.searchSpans(query, () => true, signal)
  }

  async *searchSpans(
    query: TraceQuery,
    isShown: (span: Span) => boolean,
    signal?: Cancellation,
  ): AsyncGenerator<StoredTrace> {
    const slice = new Slice()
    const read = ({ trace, traceId, isCut }: Candidate): Promise<StoredTrace | undefined> =>
      this.#traceOf(hexOf(traceId), trace, isCut === 1n, slice, signal)
    yield* matchingTraces(this.#candidates(query), read, query, isShown)
  }

  async dependencies(
    { fromNs, toNs }: { fromNs: bigint; toNs: bigint },
    signal?: Cancellation,
  ): Promise<readonly ServiceDependency[]> {
    const calls = new Map<number, Map<number, number>>()
    const count = ({ trace }: Started): void => {
      const ofTrace = new Map<string, SpanLinkRow>()
      for (const links of reading(() => this.#links.all(trace))) {
        for (const link of eachLink(links)) ofTrace.set(link.spanId, link)
      }
      countCalls(ofTrace, calls)
    }
    const slice = new Slice()
    let last: Started | undefined = { startNs: int64(toNs), trace: -1n }
    while (last !== undefined) {
      const after: readonly [bigint, bigint, bigint] = [last.startNs, last.startNs, last.trace]
      const page: readonly Started[] = reading(() => this.#started.all(...after, int64(fromNs)))
      await forEachInSlices(page, count, signal, slice)
      last = page.length < CANDIDATES_AT_ONCE ? undefined : page.at(-1)
    }
    return reading(() => this.#named(calls))
  }

  changedSince(position: number): Promise<{ readonly clusters: readonly string[]; readonly position: number }> {
    return this.#reading(() => {
      const rows = this.#changed.all(position)
      return {
        clusters: rows.map(({ cluster }) => cluster),
        position: rows.reduce((newest, row) => Math.max(newest, row.position), position),
      }
    })
  }

  upgradeSpans(cluster: string): Promise<readonly Span[]> {
    return this.#reading(() => {
      return this.#upgradeTraces
        .all(cluster)
        .flatMap(({ trace, traceId }) => this.#spansOf(hexOf(traceId), trace))
        .filter((span) => span.resource.cluster === cluster && isUpgradeSpan(span))
        .sort((a, b) => compareSpans(a, b) || compareText(a.traceId, b.traceId))
    })
  }

  close(): void {
    this.db.close()
  }

  /** All of it as of one moment. */
  async #reading<T>(work: () => T): Promise<T> {
    return Promise.resolve(reading(() => this.atomically(work)))
  }

  /** As of one moment; decoded in slices. `undefined`: the trace was removed. */
  async #traceOf(
    traceId: string,
    id: bigint | number,
    isCut: boolean,
    slice: Slice,
    signal: Cancellation | undefined,
  ): Promise<StoredTrace | undefined> {
    const spans: Span[] = []
    for (const payload of reading(() => this.#parts.all(id))) {
      const decoded = eachSpan(traceId, payload)
      const take = (span: Span): void => {
        spans.push(span)
      }
      await forEachInSlices(decoded, take, signal, slice).catch((thrown: unknown) => {
        throw failureOf('reading traces', thrown)
      })
    }
    return spans.length === 0 ? undefined : { spans: spans.sort(compareSpans), isCut }
  }

  #spansOf(traceId: string, id: bigint | number): readonly Span[] {
    return this.#parts
      .all(id)
      .flatMap((payload) => decodeSpans(traceId, payload))
      .sort(compareSpans)
  }

  /** Traces that may contain a matching span, newest start first; ties by trace id. */
  *#candidates(query: TraceQuery): Generator<Candidate> {
    const name = this.#indexedName(query)
    if (name === undefined) return
    const fromNs = int64(query.fromNs)
    const usualFromNs = fromNs > LONG_NS ? fromNs - LONG_NS : 0n
    const tags = tagsWanted(query)
    const hasTag = 'EXISTS (SELECT 1 FROM trace_tag WHERE trace_tag.trace = trace_name.trace AND tag = ?)'
    const { db } = this
    /** Page by page: no statement is open while the caller works. */
    const find = function* (where: string, ...values: readonly bigint[]): Generator<Candidate> {
      const statement = db
        .prepare<(bigint | number | Uint8Array)[], Candidate>(
          `SELECT trace_name.trace AS trace, trace_id AS traceId, trace_name.start_ns AS startNs, is_cut AS isCut
           FROM trace_name JOIN trace ON trace.id = trace_name.trace
           WHERE name = ? AND ${where} AND trace_name.start_ns <= ? AND (trace_name.start_ns < ? OR trace_id > ?)
             AND trace_name.last_start_ns >= ? AND duration_max_ns >= ? AND duration_min_ns <= ?
             AND (tags_cut = 1 OR (${['1', ...tags.map(() => hasTag)].join(' AND ')}))
           ORDER BY trace_name.start_ns DESC, trace_id LIMIT ${CANDIDATES_AT_ONCE}`,
        )
        .safeIntegers()
      const [minNs, maxNs] = [int64(query.minDurationNs ?? 0n), int64(query.maxDurationNs ?? INT64_MAX)]
      let last: Pick<Candidate, 'startNs' | 'traceId'> | undefined = { startNs: INT64_MAX, traceId: Buffer.of() }
      while (last !== undefined) {
        const after: readonly (bigint | Uint8Array)[] = [last.startNs, last.startNs, last.traceId]
        const page = reading(() => statement.all(name, ...values, ...after, fromNs, minNs, maxNs, ...tags))
        yield* page
        last = page.length < CANDIDATES_AT_ONCE ? undefined : page.at(-1)
      }
    }
    const toNs = int64(query.toNs)
    yield* find('trace_name.start_ns BETWEEN ? AND ?', usualFromNs, toNs)
    // Older traces that are long enough to reach into the requested range.
    yield* find(
      'trace_name.start_ns < ? AND trace_name.last_start_ns - trace_name.start_ns > 3600000000000',
      usualFromNs < toNs ? usualFromNs : toNs,
    )
  }

  /** The name to search by; `undefined`: no trace can match. */
  #indexedName({ service, operation }: TraceQuery): number | undefined {
    // Of an operation of any service nothing is indexed; the spans decide.
    if (service === undefined || service === '') return ANY_NAME
    const id = operation === undefined ? undefined : this.#nameId.get(service, operation)
    if (id !== undefined) return id
    const ofService = this.#nameId.get(service, '')
    if (operation === undefined && ofService !== undefined) return ofService
    const count = this.db.prepare<[], number>('SELECT count(*) FROM span_name').pluck().get()!
    // When the limit for names was reached, a missing name is inconclusive.
    return count < NAMES_MAX ? undefined : (ofService ?? ANY_NAME)
  }

  #named(calls: ReadonlyMap<number, ReadonlyMap<number, number>>): ServiceDependency[] {
    const name = this.db.prepare<[number], string>('SELECT service FROM span_name WHERE id = ?').pluck()
    const names = new Map<number, string | undefined>()
    const nameOf = (id: number): string | undefined => {
      if (!names.has(id)) names.set(id, name.get(id))
      return names.get(id)
    }
    const links: ServiceDependency[] = []
    for (const [parentId, children] of calls) {
      for (const [childId, callCount] of children) {
        const [parent, child] = [nameOf(parentId), nameOf(childId)]
        if (parent !== undefined && child !== undefined) links.push({ parent, child, callCount })
      }
    }
    return links.sort((a, b) => compareText(a.parent, b.parent) || compareText(a.child, b.child))
  }
}

/** Counts calls from one service to another; calls within a service are excluded. */
export function countCalls<S>(
  ofTrace: ReadonlyMap<string, { readonly parentSpanId?: string; readonly service: S }>,
  calls: Map<S, Map<S, number>>,
): void {
  for (const { parentSpanId = '', service } of ofTrace.values()) {
    const parent = ofTrace.get(parentSpanId)
    if (parent === undefined || parent.service === service) continue
    const children = calls.get(parent.service) ?? new Map<S, number>()
    children.set(service, (children.get(service) ?? 0) + 1)
    calls.set(parent.service, children)
  }
}

function reading<T>(work: () => T): T {
  return asFailure('reading traces', work)
}

/** What the index knows of the wanted attributes. */
export function tagsWanted({ attributes = {} }: TraceQuery): readonly number[] {
  return Object.entries(attributes).flatMap(([key, text]) => tagOf(key, text) ?? [])
}

/** By start and then span id. */
export function compareSpans(a: Span, b: Span): number {
  if (a.startNs !== b.startNs) return a.startNs < b.startNs ? -1 : 1
  return compareText(a.spanId, b.spanId)
}

/** A bound as a column can hold it. */
export function int64(value: bigint): bigint {
  if (value < 0n) return 0n
  return value > INT64_MAX ? INT64_MAX : value
}

function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')
}
