import { groupBy } from '../../base/group-by.ts'
import { SPAN_KINDS, type DerivedTrace, type Span } from '../../model/span.ts'
import { postgresFailureOf } from '../postgres/failures.ts'
import type { SharedPool } from '../postgres/pool.ts'
import { encodeSpans, eachSpan } from '../spans/span-codec.ts'
import { durationNs, tagsOf } from '../spans/span-index.ts'
import { payloadHash } from '../observations/log-record-codec.ts'
import { linksOf } from '../spans/span-links.ts'
import { Partitions } from './partitions.ts'
import { inPostgres, type Connection } from './postgres.ts'
import type { TraceNameRow, TraceRows } from './row-source.ts'
import { nameKey, numberedTraces, readTrace, shipTraces, SpanNames } from './ship-traces.ts'

/** Derived spans in PostgreSQL: of no collector, because another process may derive the cluster next. */

const DERIVED = 0

export class PostgresDerivedTraces {
  readonly #pool: SharedPool
  readonly #partitions: Partitions
  readonly #names = new SpanNames()

  constructor(pool: SharedPool) {
    this.#pool = pool
    this.#partitions = new Partitions(pool)
  }

  /** As `SpanSink.replaceSpans`, in one transaction. Throws FleetError. */
  async replaceSpans(traces: readonly DerivedTrace[], nowMs: number): Promise<void> {
    if (traces.length === 0) return
    try {
      await this.#partitions.make({ trace: [nowMs], trace_part: [nowMs], trace_name: [nowMs] })
      await inPostgres(this.#pool, async (connection) => {
        const stored = await derivedSpans(connection, new Set(traces.map(({ traceId }) => traceId)))
        for (const { traceId, scope, spans } of traces) {
          const replaced = new Set(spans.map(({ spanId }) => spanId))
          const others = (stored.get(traceId) ?? []).filter(
            (span) => span.scope.name !== scope && !replaced.has(span.spanId),
          )
          stored.set(traceId, [...others, ...spans])
        }
        const services = [...new Set([...stored.values()].flat().map(({ resource }) => resource.service))]
        const rows = Array.from(stored, ([traceId, spans]) => readTrace(traceRowsOf(traceId, spans, services, nowMs)))
        const numbered = await numberedTraces(connection, rows, (id) => services[id - 1], this.#names)
        await shipTraces(connection, DERIVED, numbered)
      })
    } catch (thrown) {
      this.#names.forget()
      this.#partitions.forget()
      throw postgresFailureOf('writing derived traces', thrown)
    }
  }
}

async function derivedSpans(connection: Connection, ids: ReadonlySet<string>): Promise<Map<string, readonly Span[]>> {
  const rows = await connection.query<{ traceId: Uint8Array; payload: Uint8Array }>(
    'SELECT trace_id AS "traceId", payload FROM trace_part WHERE collector = $1 AND trace_id = ANY($2::bytea[])',
    [DERIVED, Array.from(ids, (id) => Buffer.from(id, 'hex'))],
  )
  const spans = rows.flatMap(({ traceId, payload }) => [...eachSpan(Buffer.from(traceId).toString('hex'), payload)])
  return new Map(groupBy(spans, ({ traceId }) => traceId))
}

/** @param services numbered by their places, from 1 */
function traceRowsOf(traceId: string, spans: readonly Span[], services: readonly string[], nowMs: number): TraceRows {
  if (spans.length === 0) {
    return { traceId, trace: undefined, spanCount: 0, parts: [], names: [], tags: [], upgradeClusters: [] }
  }
  const { tags, isCut } = tagsOf(spans)
  const startNs = spans.reduce((least, span) => (span.startNs < least ? span.startNs : least), spans[0]!.startNs)
  const names = namesOf(spans, startNs)
  const trace = {
    ...{ startNs, lastStartNs: names[0]!.lastStartNs, retainedFromMs: BigInt(nowMs) },
    ...{ areTagsCut: isCut ? 1n : 0n, isCut: 0n },
  }
  const links = linksOf(spans, (service) => services.indexOf(service) + 1)
  const payload = encodeSpans(spans)
  // A part never changes: other spans are another one.
  const parts = [{ id: payloadHash(payload), links, payload }]
  return { traceId, trace, spanCount: spans.length, parts, names, tags: [...tags], upgradeClusters: [] }
}

/** The name of any span first. */
function namesOf(spans: readonly Span[], startNs: bigint): readonly TraceNameRow[] {
  const names = new Map<string, { -readonly [K in keyof TraceNameRow]: TraceNameRow[K] }>()
  for (const span of spans) {
    const { service } = span.resource
    const duration = durationNs(span)
    const kinds = BigInt(1 << SPAN_KINDS.indexOf(span.kind))
    for (const [of, operation] of [
      [null, null],
      [service, ''],
      [service, span.name],
    ] as const) {
      const key = of === null ? '' : nameKey(of, operation)
      const known = names.get(key) ?? {
        ...{ service: of, operation, kinds: 0n, startNs, lastStartNs: span.startNs },
        ...{ durationMinNs: duration, durationMaxNs: duration },
      }
      known.kinds = (known.kinds ?? 0n) | kinds
      if (span.startNs > known.lastStartNs) known.lastStartNs = span.startNs
      if (duration < known.durationMinNs) known.durationMinNs = duration
      if (duration > known.durationMaxNs) known.durationMaxNs = duration
      names.set(key, known)
    }
  }
  return [...names.values()]
}
