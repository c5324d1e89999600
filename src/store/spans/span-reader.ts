import { FleetError } from '../../base/errors.ts'
import { compareText } from '../../model/labels.ts'
import {
  SPAN_KINDS,
  type ServiceDependency,
  type ServiceOperation,
  type Span,
  type SpanKind,
  type TraceQuery,
  type TraceReader,
  type UpgradeSpanReader,
} from '../../model/span.ts'
import { asFailure, openDatabaseForReading } from '../database.ts'
import { decodeSpans } from './span-codec.ts'
import { durationNs, hasTexts, isUpgradeSpan, tagOf } from './span-index.ts'
import { eachLink, type SpanLinkRow } from './span-links.ts'
import { ANY_NAME, NAMES_MAX } from './trace-rows.ts'
import { Statements } from '../statements.ts'

/** Traces, read on a separate connection. An index finds candidates; the spans themselves decide. */
export interface SpanReader extends TraceReader, UpgradeSpanReader {
  close(): void
}

/** Traces that one search may read: an imprecise index must not block a thread for long. */
const CHECKED_MAX = 20_000
/** Spans of one answer. */
const SPANS_MAX = 200_000

/** Maximum distance of a normal trace's start before the requested range; longer traces have a separate index. */
const LONG_NS = 3_600_000_000_000n

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
}

type NameRow = { readonly name: string; readonly kinds: number }

/** On a connection of the caller's, which `close` closes. */
export class SqlSpanReader extends Statements implements SpanReader {
  readonly #parts = this.db
    .prepare<[bigint | number], Uint8Array>('SELECT payload FROM trace_part WHERE trace = ? ORDER BY id')
    .pluck()
  readonly #find = this.db.prepare<[Uint8Array], number>('SELECT id FROM trace WHERE trace_id = ?').pluck()
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
      return rows.flatMap(({ name, kinds }) =>
        SPAN_KINDS.filter((one, number) => (kinds & (1 << number)) !== 0 && (kind ?? one) === one).map((one) => ({
          name,
          kind: one,
        })),
      )
    })
  }

  trace(traceId: string): Promise<readonly Span[]> {
    return this.#reading(() => {
      const id = this.#find.get(Buffer.from(traceId, 'hex'))
      return id === undefined ? [] : this.#spansOf(traceId, id)
    })
  }

  search(query: TraceQuery): Promise<readonly (readonly Span[])[]> {
    return this.#reading(() => {
      const found: (readonly Span[])[] = []
      const wanted = new Map(Object.entries(query.attributes ?? {}))
      let checkedCount = 0
      let spanCount = 0
      for (const { trace, traceId } of this.#candidates(query, wanted)) {
        if (found.length >= query.limit) break
        if (++checkedCount > CHECKED_MAX) throw tooMuch(`${CHECKED_MAX} traces were looked at`)
        const spans = this.#spansOf(hexOf(traceId), trace)
        if (!spans.some((span) => isWanted(span, query, wanted))) continue
        spanCount += spans.length
        if (spanCount > SPANS_MAX) throw tooMuch(`the traces found have more than ${SPANS_MAX} spans`)
        found.push(spans)
      }
      return found
    })
  }

  dependencies({ fromNs, toNs }: { fromNs: bigint; toNs: bigint }): Promise<readonly ServiceDependency[]> {
    return this.#reading(() => {
      const rows = this.db
        .prepare<[bigint, bigint], { readonly trace: number; readonly links: Uint8Array }>(
          `SELECT trace_part.trace AS trace, links FROM trace JOIN trace_part ON trace_part.trace = trace.id
           WHERE start_ns <= ? AND last_start_ns >= ? ORDER BY trace_part.trace`,
        )
        .iterate(int64(toNs), int64(fromNs))
      const calls = new Map<number, Map<number, number>>()
      let ofTrace = new Map<string, SpanLinkRow>()
      let trace = -1
      for (const row of rows) {
        if (row.trace !== trace) {
          countCalls(ofTrace, calls)
          ofTrace = new Map()
          trace = row.trace
        }
        for (const link of eachLink(row.links)) ofTrace.set(link.spanId, link)
      }
      countCalls(ofTrace, calls)
      return this.#named(calls)
    })
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
    return Promise.resolve(asFailure('reading traces', () => this.db.transaction(work)()))
  }

  #spansOf(traceId: string, id: bigint | number): readonly Span[] {
    return this.#parts
      .all(id)
      .flatMap((payload) => decodeSpans(traceId, payload))
      .sort(compareSpans)
  }

  /** Traces that may contain a matching span, newest start first; ties by trace id. */
  *#candidates(query: TraceQuery, wanted: ReadonlyMap<string, string>): Generator<Candidate> {
    const name = this.#indexedName(query)
    if (name === undefined) return
    const fromNs = int64(query.fromNs)
    const usualFromNs = fromNs > LONG_NS ? fromNs - LONG_NS : 0n
    const tags = [...wanted].flatMap(([key, text]) => tagOf(key, text) ?? [])
    const hasTag = 'EXISTS (SELECT 1 FROM trace_tag WHERE trace_tag.trace = trace_name.trace AND tag = ?)'
    const find = (where: string, ...values: readonly bigint[]): IterableIterator<Candidate> =>
      this.db
        .prepare<(bigint | number)[], Candidate>(
          `SELECT trace_name.trace AS trace, trace_id AS traceId, trace_name.start_ns AS startNs
           FROM trace_name JOIN trace ON trace.id = trace_name.trace
           WHERE name = ? AND ${where} AND trace_name.last_start_ns >= ?
             AND duration_max_ns >= ? AND duration_min_ns <= ?
             AND (tags_cut = 1 OR (${['1', ...tags.map(() => hasTag)].join(' AND ')}))
           ORDER BY trace_name.start_ns DESC, trace_id`,
        )
        .safeIntegers()
        .iterate(
          name,
          ...values,
          fromNs,
          int64(query.minDurationNs ?? 0n),
          int64(query.maxDurationNs ?? INT64_MAX),
          ...tags,
        )
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
function countCalls(ofTrace: ReadonlyMap<string, SpanLinkRow>, calls: Map<number, Map<number, number>>): void {
  for (const { parentSpanId, service } of ofTrace.values()) {
    const parent = ofTrace.get(parentSpanId)
    if (parent === undefined || parent.service === service) continue
    const children = calls.get(parent.service) ?? new Map<number, number>()
    children.set(service, (children.get(service) ?? 0) + 1)
    calls.set(parent.service, children)
  }
}

function isWanted(span: Span, query: TraceQuery, wanted: ReadonlyMap<string, string>): boolean {
  const { service, operation, fromNs, toNs, minDurationNs, maxDurationNs } = query
  if (service !== undefined && service !== '' && span.resource.service !== service) return false
  if (operation !== undefined && span.name !== operation) return false
  if (span.startNs < fromNs || span.startNs > toNs) return false
  const duration = durationNs(span)
  if (minDurationNs !== undefined && duration < minDurationNs) return false
  if (maxDurationNs !== undefined && duration > maxDurationNs) return false
  return hasTexts(span, wanted)
}

/** By start and then span id. */
function compareSpans(a: Span, b: Span): number {
  if (a.startNs !== b.startNs) return a.startNs < b.startNs ? -1 : 1
  return compareText(a.spanId, b.spanId)
}

function tooMuch(what: string): FleetError {
  return new FleetError('query_limit', `${what}, and there is more`, {
    hint: 'ask for a shorter time, a service, an operation or fewer traces',
  })
}

/** A bound as a column can hold it. */
function int64(value: bigint): bigint {
  if (value < 0n) return 0n
  return value > INT64_MAX ? INT64_MAX : value
}

function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')
}
