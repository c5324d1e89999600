import type { Cancellation } from '../../base/cancellation.ts'
import { groupBy } from '../../base/group-by.ts'
import { forEachInSlices, Slice } from '../../base/thread-slices.ts'
import { compareText } from '../../model/labels.ts'
import {
  type ServiceDependency,
  type ServiceOperation,
  type Span,
  type SpanKind,
  type StoredTrace,
  type TraceQuery,
} from '../../model/span.ts'
import { failureOf } from '../database.ts'
import type { SharedPool } from '../postgres/pool.ts'
import { repeating } from '../postgres/run-facts.ts'
import { eachSpan } from '../spans/span-codec.ts'
import { isUpgradeSpan } from '../spans/span-index.ts'
import { eachLink, type SpanLinkRow } from '../spans/span-links.ts'
import {
  CANDIDATES_AT_ONCE,
  compareSpans,
  countCalls,
  int64,
  LONG_NS,
  tagsWanted,
  type SpanReader,
} from '../spans/span-reader.ts'
import { merged } from '../spans/spans.ts'
import { matchingTraces } from '../spans/trace-search.ts'
import { ANY_NAME, NAMES_MAX, operationsOf, type NameRow } from '../spans/trace-rows.ts'
import { onConnection, type Connection } from './postgres.ts'

/**
 * Traces that collectors shipped to PostgreSQL, with the spans of all collectors. An index finds candidates. Of spans with one
 * id and different starts, sent to different collectors, the earliest start places the trace in a search.
 */

const INT64_MAX = 2n ** 63n - 1n

const IS_USED = 'EXISTS (SELECT 1 FROM trace_name WHERE trace_name.name = span_name.id)'

/** One row of a trace that may match. Nanoseconds are texts: they take more than 53 bits. */
interface FoundRow {
  readonly traceId: Uint8Array
  readonly startNs: string
  /** Of the whole trace. */
  readonly wholeStartNs: string
}

interface Candidate {
  readonly traceId: string
  readonly startNs: bigint
}

export class PostgresSpans implements SpanReader {
  readonly #pool: SharedPool

  /** @param pool of the caller, which ends it */
  constructor(pool: SharedPool) {
    this.#pool = pool
  }

  services(): Promise<readonly string[]> {
    return this.#reading(async (connection) => {
      const rows = await connection.query<{ service: string }>(
        `SELECT service FROM span_name WHERE operation = '' AND ${IS_USED} ORDER BY service`,
      )
      return rows.map(({ service }) => service)
    })
  }

  operations(service: string, kind?: SpanKind): Promise<readonly ServiceOperation[]> {
    return this.#reading(async (connection) => {
      const rows = await connection.query<NameRow>(
        `SELECT operation AS name, kinds FROM span_name WHERE service = $1 AND operation <> '' AND ${IS_USED}
           ORDER BY operation`,
        [service],
      )
      return operationsOf(rows, kind)
    })
  }

  trace(traceId: string, signal?: Cancellation): Promise<StoredTrace | undefined> {
    return this.#traceOf(traceId, new Slice(), signal)
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
    const read = ({ traceId }: Candidate): Promise<StoredTrace | undefined> => this.#traceOf(traceId, slice, signal)
    yield* matchingTraces(this.#candidates(query), read, query, isShown)
  }

  async dependencies(
    { fromNs, toNs }: { fromNs: bigint; toNs: bigint },
    signal?: Cancellation,
  ): Promise<readonly ServiceDependency[]> {
    const calls = new Map<number, Map<number, number>>()
    const callsByName = new Map<string, Map<string, number>>()
    const slice = new Slice()
    const range = { fromNs, toNs, limit: Infinity }
    for await (const ids of inPages(this.#found(ANY_NAME, range, []))) {
      const parts = await this.#reading((connection) => linksOf(connection, ids))
      const contradictory: string[] = []
      const count = ([traceId, ofTrace]: readonly [string, readonly LinksRow[]]): void => {
        const links = uniqueLinks(ofTrace)
        if (links === undefined) contradictory.push(traceId)
        else countCalls(links, calls)
      }
      await forEachInSlices([...groupBy(parts, ({ traceId }) => hexOf(traceId))], count, signal, slice)
      for (const traceId of contradictory) {
        const spans = (await this.#traceOf(traceId, slice, signal))?.spans ?? []
        countCalls(
          new Map(spans.map((span) => [span.spanId, { ...span, service: span.resource.service }])),
          callsByName,
        )
      }
    }
    return this.#reading((connection) => named(connection, calls, callsByName))
  }

  changedSince(position: number): Promise<{ readonly clusters: readonly string[]; readonly position: number }> {
    return this.#reading(async (connection) => {
      const rows = await connection.query<{ cluster: string; position: number }>(
        'SELECT cluster, max(position) AS position FROM upgrade_trace WHERE position > $1 GROUP BY cluster',
        [position],
      )
      return {
        clusters: rows.map(({ cluster }) => cluster),
        position: rows.reduce((newest, row) => Math.max(newest, row.position), position),
      }
    })
  }

  async upgradeSpans(cluster: string): Promise<readonly Span[]> {
    const ids = await this.#reading((connection) =>
      connection.query<{ traceId: Uint8Array }>(
        'SELECT DISTINCT trace_id AS "traceId" FROM upgrade_trace WHERE cluster = $1',
        [cluster],
      ),
    )
    const slice = new Slice()
    const spans: Span[] = []
    for (const { traceId } of ids) spans.push(...((await this.#traceOf(hexOf(traceId), slice))?.spans ?? []))
    return spans
      .filter((span) => span.resource.cluster === cluster && isUpgradeSpan(span))
      .sort((a, b) => compareSpans(a, b) || compareText(a.traceId, b.traceId))
  }

  close(): void {
    // The pool is the caller's.
  }

  /** `undefined`: there is no such trace, or no more. */
  async #traceOf(traceId: string, slice: Slice, signal?: Cancellation): Promise<StoredTrace | undefined> {
    const id = Buffer.from(traceId, 'hex')
    const { parts, isCut } = await this.#reading(async (connection) => {
      const parts = await connection.query<{ collector: number; payload: Uint8Array }>(
        'SELECT collector, payload FROM trace_part WHERE trace_id = $1 ORDER BY collector, part',
        [id],
      )
      const [row] = await connection.query<{ isCut: boolean | null }>(
        'SELECT bool_or(is_cut) AS "isCut" FROM trace WHERE trace_id = $1',
        [id],
      )
      return { parts, isCut: row?.isCut === true }
    })
    const spans: Span[] = []
    for (const { payload } of parts) {
      const take = (span: Span): void => {
        spans.push(span)
      }
      await forEachInSlices(eachSpan(traceId, payload), take, signal, slice).catch((thrown: unknown) => {
        throw failureOf('reading traces', thrown)
      })
    }
    if (spans.length === 0) return undefined
    // One collector has each span once.
    const isShared = parts.some(({ collector }) => collector !== parts[0]!.collector)
    return { spans: (isShared ? merged(spans) : spans).sort(compareSpans), isCut }
  }

  /** Traces that may contain a matching span, newest start first; ties by trace id. */
  async *#candidates(query: TraceQuery): AsyncGenerator<Candidate> {
    const name = await this.#reading((connection) => indexedName(connection, query))
    if (name !== undefined) yield* this.#found(name, query, tagsWanted(query))
  }

  /**
   * A trace of several collectors has a row of each, and starts with the earliest of them: a found trace waits until no row
   * is left that may be of an earlier place.
   */
  async *#found(name: number, query: TraceQuery, tags: readonly number[]): AsyncGenerator<Candidate> {
    const seen = new Set<string>()
    let waiting: Candidate[] = []
    const take = function* (after: bigint): Generator<Candidate> {
      waiting.sort((a, b) => compareNs(b.startNs, a.startNs) || compareText(a.traceId, b.traceId))
      const first = waiting.findIndex(({ startNs }) => startNs <= after)
      const ready = first === -1 ? waiting : waiting.slice(0, first)
      waiting = first === -1 ? [] : waiting.slice(first)
      yield* ready
    }
    for await (const rows of this.#pages(name, query, tags)) {
      for (const { traceId, wholeStartNs } of rows) {
        const id = hexOf(traceId)
        if (!seen.has(id)) waiting.push({ traceId: id, startNs: BigInt(wholeStartNs) })
        seen.add(id)
      }
      yield* take(BigInt(rows.at(-1)!.startNs))
    }
    yield* take(-1n)
  }

  /** Rows by start, newest first. None is empty. */
  async *#pages(name: number, query: TraceQuery, tags: readonly number[]): AsyncGenerator<readonly FoundRow[]> {
    const [fromNs, toNs] = [int64(query.fromNs), int64(query.toNs)]
    const usualFromNs = fromNs > LONG_NS ? fromNs - LONG_NS : 0n
    yield* this.#pagesWhere('AND trace_name.start_ns >= $9::bigint', { name, query, tags, toNs, usualFromNs })
    // Older traces that are long enough to reach into the requested range.
    const where =
      'AND trace_name.start_ns < $9::bigint AND trace_name.last_start_ns - trace_name.start_ns > 3600000000000'
    yield* this.#pagesWhere(where, { name, query, tags, toNs, usualFromNs })
  }

  async *#pagesWhere(
    where: string,
    {
      name,
      query,
      tags,
      toNs,
      usualFromNs,
    }: {
      readonly name: number
      readonly query: TraceQuery
      readonly tags: readonly number[]
      readonly toNs: bigint
      readonly usualFromNs: bigint
    },
  ): AsyncGenerator<readonly FoundRow[]> {
    const minNs = int64(query.minDurationNs ?? 0n)
    const maxNs = int64(query.maxDurationNs ?? INT64_MAX)
    const fixed = [name, String(int64(query.fromNs)), String(toNs), String(minNs), String(maxNs), tags]
    let [lastNs, lastId]: [string, Uint8Array] = [String(INT64_MAX), Buffer.of()]
    for (;;) {
      const rows = await this.#reading((connection) =>
        connection.query<FoundRow>(
          `SELECT trace_name.trace_id AS "traceId", trace_name.start_ns::text AS "startNs",
               (SELECT min(whole.start_ns) FROM trace AS whole WHERE whole.trace_id = trace_name.trace_id)::text
                 AS "wholeStartNs"
             FROM trace_name JOIN trace USING (trace_id, collector, time_ms)
             WHERE name = $1 AND trace_name.start_ns <= $3::bigint ${where}
               AND (trace_name.start_ns < $7::bigint OR (trace_name.start_ns = $7::bigint AND trace_id > $8))
               AND trace_name.last_start_ns >= $2::bigint AND duration_max_ns >= $4::bigint
               AND duration_min_ns <= $5::bigint AND (are_tags_cut OR tags @> $6::bigint[])
             ORDER BY trace_name.start_ns DESC, trace_id LIMIT ${CANDIDATES_AT_ONCE}`,
          [...fixed, lastNs, lastId, String(usualFromNs)],
        ),
      )
      const last = rows.at(-1)
      if (last === undefined) return
      yield rows
      if (rows.length < CANDIDATES_AT_ONCE) return
      ;[lastNs, lastId] = [last.startNs, last.traceId]
    }
  }

  async #reading<T>(read: (connection: Connection) => Promise<T>): Promise<T> {
    try {
      return await repeating('reading traces', () => onConnection(this.#pool, read))
    } catch (thrown) {
      throw failureOf('reading traces', thrown)
    }
  }
}

/** The name to search by; `undefined`: no trace can match. */
async function indexedName(connection: Connection, { service, operation }: TraceQuery): Promise<number | undefined> {
  // Of an operation of any service nothing is indexed; the spans decide.
  if (service === undefined || service === '') return ANY_NAME
  const idOf = async (name: string): Promise<number | undefined> => {
    const sql = 'SELECT id FROM span_name WHERE service = $1 AND operation = $2'
    return (await connection.query<{ id: number }>(sql, [service, name]))[0]?.id
  }
  const id = operation === undefined ? undefined : await idOf(operation)
  if (id !== undefined) return id
  const ofService = await idOf('')
  if (operation === undefined && ofService !== undefined) return ofService
  const [row] = await connection.query<{ count: number }>('SELECT count(*) AS count FROM span_name')
  // When the limit for names was reached, a missing name is inconclusive.
  return (row?.count ?? 0) < NAMES_MAX ? undefined : (ofService ?? ANY_NAME)
}

interface LinksRow {
  readonly traceId: Uint8Array
  readonly links: Uint8Array
}

function linksOf(connection: Connection, ids: readonly string[]): Promise<readonly LinksRow[]> {
  return connection.query('SELECT trace_id AS "traceId", links FROM trace_part WHERE trace_id = ANY($1::bytea[])', [
    ids.map((id) => Buffer.from(id, 'hex')),
  ])
}

/** By span. `undefined`: collectors received other spans of the same id, and the spans decide which one counts. */
function uniqueLinks(parts: readonly LinksRow[]): ReadonlyMap<string, SpanLinkRow> | undefined {
  const links = new Map<string, SpanLinkRow>()
  for (const part of parts) {
    for (const link of eachLink(part.links)) {
      const known = links.get(link.spanId)
      const isSame = known?.parentSpanId === link.parentSpanId && known.service === link.service
      if (known !== undefined && !isSame) return undefined
      links.set(link.spanId, link)
    }
  }
  return links
}

async function named(
  connection: Connection,
  calls: ReadonlyMap<number, ReadonlyMap<number, number>>,
  callsByName: Map<string, Map<string, number>>,
): Promise<readonly ServiceDependency[]> {
  const ids = new Set([...calls].flatMap(([parent, children]) => [parent, ...children.keys()]))
  const rows = await connection.query<{ id: number; service: string }>(
    'SELECT id, service FROM span_name WHERE id = ANY($1::integer[])',
    [[...ids]],
  )
  const names = new Map(rows.map(({ id, service }) => [id, service]))
  for (const [parentId, children] of calls) {
    for (const [childId, callCount] of children) {
      const [parent, child] = [names.get(parentId), names.get(childId)]
      if (parent === undefined || child === undefined) continue
      const known = callsByName.get(parent) ?? new Map<string, number>()
      callsByName.set(parent, known.set(child, (known.get(child) ?? 0) + callCount))
    }
  }
  return [...callsByName]
    .flatMap(([parent, children]) => Array.from(children, ([child, callCount]) => ({ parent, child, callCount })))
    .sort((a, b) => compareText(a.parent, b.parent) || compareText(a.child, b.child))
}

async function* inPages(candidates: AsyncIterable<Candidate>): AsyncGenerator<readonly string[]> {
  let page: string[] = []
  for await (const { traceId } of candidates) {
    page.push(traceId)
    if (page.length < CANDIDATES_AT_ONCE) continue
    yield page
    page = []
  }
  if (page.length > 0) yield page
}

function compareNs(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0
}

function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')
}
