import { SPAN_KINDS } from '../../model/span.ts'
import { compareText } from '../../model/labels.ts'
import { MalformedBytesError } from '../bytes.ts'
import { eachSpan } from '../spans/span-codec.ts'
import { LINK_BYTES, SERVICE_OFFSET } from '../spans/span-links.ts'
import { ANY_NAME, NAMES_MAX } from '../spans/trace-rows.ts'
import { columnsOf, lockPositions, type Connection } from './postgres.ts'
import type { TraceNameRow, TraceRows } from './row-source.ts'

/** Traces of one collector to PostgreSQL, in place of its earlier rows of the same traces. */

interface ReadTrace extends TraceRows {
  /** Of its spans. */
  readonly clusters: readonly string[]
}

/** A trace to write: its names have their numbers in PostgreSQL. */
export interface ShippedTrace extends Omit<ReadTrace, 'names'> {
  readonly names: readonly (Pick<TraceNameRow, 'lastStartNs' | 'durationMinNs' | 'durationMaxNs'> & {
    readonly name: number
  })[]
}

/** Numbers of names in PostgreSQL, which other names of the same transaction may not have. */
export class SpanNames {
  readonly #known = new Map<string, { readonly id: number; readonly kinds: number }>()
  #count: number | undefined

  /** The numbers of services (an empty operation) and operations; those without room have the number of any name. */
  async numbersOf(
    connection: Connection,
    names: readonly { readonly service: string; readonly operation: string; readonly kinds: number }[],
  ): Promise<ReadonlyMap<string, number>> {
    const wanted = new Map<string, { service: string; operation: string; kinds: number }>()
    for (const { service, operation, kinds } of names) {
      const key = nameKey(service, operation)
      const known = this.#known.get(key)
      if (known !== undefined && (known.kinds & kinds) === kinds) continue
      wanted.set(key, { service, operation, kinds: kinds | (wanted.get(key)?.kinds ?? 0) })
    }
    if (wanted.size > 0) await this.#put(connection, [...wanted.values()])
    return new Map(
      names.map(({ service, operation }) => {
        const key = nameKey(service, operation)
        return [key, this.#known.get(key)?.id ?? ANY_NAME]
      }),
    )
  }

  forget(): void {
    this.#known.clear()
    this.#count = undefined
  }

  async #put(
    connection: Connection,
    names: readonly { readonly service: string; readonly operation: string; readonly kinds: number }[],
  ): Promise<void> {
    const [row] = this.#count === undefined ? await connection.query<{ count: number }>(COUNT_NAMES) : []
    this.#count ??= row?.count ?? 0
    const sorted = names.toSorted((a, b) => compareText(a.service, b.service) || compareText(a.operation, b.operation))
    // Known names are widened in any case; there may be more than the limit when several collectors reach it together.
    const isFull = this.#count >= NAMES_MAX
    const rows = await connection.query<{ id: number; service: string; operation: string; kinds: number }>(
      isFull ? WIDEN_NAMES : PUT_NAMES,
      columnsOf(sorted, 'service', 'operation', 'kinds'),
    )
    this.#count += isFull ? 0 : rows.length
    for (const { id, service, operation, kinds } of rows) this.#known.set(nameKey(service, operation), { id, kinds })
  }
}

const COUNT_NAMES = 'SELECT count(*) AS count FROM span_name'
const GIVEN_NAMES = 'unnest($1::text[], $2::text[], $3::integer[]) AS given (service, operation, kinds)'
const PUT_NAMES = `INSERT INTO span_name (service, operation, kinds) SELECT * FROM ${GIVEN_NAMES}
  ON CONFLICT (service, operation) DO UPDATE SET kinds = span_name.kinds | excluded.kinds
  RETURNING id, service, operation, kinds`
const WIDEN_NAMES = `UPDATE span_name SET kinds = span_name.kinds | given.kinds FROM ${GIVEN_NAMES}
  WHERE span_name.service = given.service AND span_name.operation = given.operation
  RETURNING id, span_name.service, span_name.operation, span_name.kinds`

export function nameKey(service: string, operation: string): string {
  return `${service.length}:${service}${operation}`
}

/** Reads the spans. Throws `MalformedBytesError`. */
export function readTrace(trace: TraceRows): ReadTrace {
  const clusters = new Set<string>()
  for (const { links, payload } of trace.parts) {
    if (links.length % LINK_BYTES !== 0) throw new MalformedBytesError(`links of ${links.length} bytes are cut`)
    for (const { resource } of eachSpan(trace.traceId, payload)) {
      if (resource.cluster !== '') clusters.add(resource.cluster)
    }
  }
  return { ...trace, clusters: [...clusters] }
}

/** With the numbers that its names and the services of its links have in PostgreSQL. */
export async function numberedTraces(
  connection: Connection,
  traces: readonly ReadTrace[],
  serviceOf: (id: number) => string | undefined,
  names: SpanNames,
): Promise<readonly ShippedTrace[]> {
  const services = new Set(traces.flatMap(({ parts }) => parts.flatMap(({ links }) => servicesOf(links))))
  const all = traces.flatMap((trace) => trace.names.flatMap(namedOf))
  const ofLinks = [...services].flatMap((id) => {
    const service = serviceOf(id)
    return service === undefined ? [] : [{ id, service }]
  })
  const unspecified = 1 << SPAN_KINDS.indexOf('unspecified')
  const linked = ofLinks.map(({ service }) => ({ service, operation: '', kinds: unspecified }))
  const numbers = await names.numbersOf(connection, [...all, ...linked])
  const serviceNumbers = new Map(ofLinks.map(({ id, service }) => [id, numbers.get(nameKey(service, '')) ?? ANY_NAME]))
  return traces.map(({ names: own, parts, ...trace }) => ({
    ...trace,
    parts: parts.map((part) => ({ ...part, links: withServices(part.links, serviceNumbers) })),
    names: own.map((name) => {
      const { service, operation } = name
      const number = service === null ? ANY_NAME : (numbers.get(nameKey(service, operation ?? '')) ?? ANY_NAME)
      return { ...name, name: number }
    }),
  }))
}

function namedOf({ service, operation, kinds }: TraceNameRow) {
  return service === null ? [] : [{ service, operation: operation ?? '', kinds: Number(kinds ?? 0) }]
}

function servicesOf(links: Uint8Array): number[] {
  const bytes = Buffer.from(links.buffer, links.byteOffset, links.byteLength)
  const count = Math.floor(bytes.length / LINK_BYTES)
  return Array.from({ length: count }, (_, i) => bytes.readUInt32LE(i * LINK_BYTES + SERVICE_OFFSET))
}

function withServices(links: Uint8Array, numbers: ReadonlyMap<number, number>): Uint8Array {
  const bytes = Buffer.from(links)
  for (let at = SERVICE_OFFSET; at < bytes.length; at += LINK_BYTES) {
    bytes.writeUInt32LE(numbers.get(bytes.readUInt32LE(at)) ?? ANY_NAME, at)
  }
  return bytes
}

const DAY_MS = 86_400_000

/** The times of the partitions for traces. */
export function traceTimesMs(traces: readonly TraceRows[]): readonly number[] {
  return traces.flatMap(({ trace }) => (trace === undefined ? [] : [dayOf(trace)]))
}

function dayOf({ retainedFromMs }: NonNullable<TraceRows['trace']>): number {
  return Math.floor(Number(retainedFromMs) / DAY_MS) * DAY_MS
}

type PresentTrace = Omit<ShippedTrace, 'trace'> & {
  readonly trace: NonNullable<ShippedTrace['trace']>
  readonly id: Uint8Array
  /** The day with which its rows are dropped. */
  readonly dayMs: number
}

export async function shipTraces(
  connection: Connection,
  collector: number,
  traces: readonly ShippedTrace[],
): Promise<void> {
  if (traces.length === 0) return
  const ids = traces.map(({ traceId }) => Buffer.from(traceId, 'hex'))
  const present = traces.flatMap(({ trace, ...rest }): PresentTrace[] => {
    if (trace === undefined) return []
    return [{ ...rest, trace, id: Buffer.from(rest.traceId, 'hex'), dayMs: dayOf(trace) }]
  })
  for (const table of ['trace', 'trace_name', 'upgrade_trace']) {
    await connection.query(`DELETE FROM ${table} WHERE collector = $1 AND trace_id = ANY($2::bytea[])`, [
      collector,
      ids,
    ])
  }
  await putTraces(connection, collector, present)
  await replaceParts(connection, collector, ids, present)
  await putNames(connection, collector, present)
  await putUpgrades(connection, collector, present)
}

async function putTraces(connection: Connection, collector: number, traces: readonly PresentTrace[]): Promise<void> {
  const rows = traces.map(({ id, dayMs, trace, spanCount, tags, clusters }) => ({
    ...{ id, dayMs, spanCount, startNs: String(trace.startNs), lastNs: String(trace.lastStartNs) },
    ...{ areTagsCut: trace.areTagsCut !== 0n, isCut: trace.isCut !== 0n },
    // Lists of lists have one length: each is a text.
    ...{ tags: `{${tags.join(',')}}`, clusters: JSON.stringify(clusters) },
  }))
  await connection.query(
    `INSERT INTO trace (collector, trace_id, time_ms, start_ns, last_start_ns, tags, are_tags_cut, is_cut, span_count, clusters)
       SELECT $1, id, day_ms, start_ns, last_ns, tags::bigint[], are_tags_cut, is_cut, span_count,
         ARRAY(SELECT json_array_elements_text(clusters::json))
       FROM unnest($2::bytea[], $3::bigint[], $4::bigint[], $5::bigint[], $6::text[], $7::boolean[], $8::boolean[],
         $9::bigint[], $10::text[])
         AS row (id, day_ms, start_ns, last_ns, tags, are_tags_cut, is_cut, span_count, clusters)`,
    [
      collector,
      ...columnsOf(rows, 'id', 'dayMs', 'startNs', 'lastNs', 'tags', 'areTagsCut', 'isCut', 'spanCount', 'clusters'),
    ],
  )
}

/** A part never changes: of a trace that grows, only new parts are sent. */
async function replaceParts(
  connection: Connection,
  collector: number,
  ids: readonly Uint8Array[],
  traces: readonly PresentTrace[],
): Promise<void> {
  const stored = await connection.query<{ id: Uint8Array; part: number }>(
    'SELECT trace_id AS id, part FROM trace_part WHERE collector = $1 AND trace_id = ANY($2::bytea[])',
    [collector, ids],
  )
  const keyOf = (id: Uint8Array, part: number): string => `${Buffer.from(id).toString('hex')} ${part}`
  const left = new Map(stored.map((row) => [keyOf(row.id, row.part), row]))
  const rows = traces.flatMap(({ id, dayMs, parts }) =>
    parts.flatMap(({ id: part, links, payload }) =>
      left.delete(keyOf(id, part)) ? [] : [{ id, part, dayMs, links, payload }],
    ),
  )
  if (left.size > 0) {
    await connection.query(
      `DELETE FROM trace_part WHERE collector = $1 AND (trace_id, part) IN (SELECT * FROM unnest($2::bytea[], $3::bigint[]))`,
      [collector, ...columnsOf([...left.values()], 'id', 'part')],
    )
  }
  if (stored.length > left.size) {
    // A trace that goes on is dropped with a later day.
    await connection.query(
      `UPDATE trace_part SET time_ms = day_ms FROM unnest($2::bytea[], $3::bigint[]) AS row (id, day_ms)
         WHERE collector = $1 AND trace_id = id AND time_ms <> day_ms`,
      [collector, ...columnsOf(traces, 'id', 'dayMs')],
    )
  }
  if (rows.length === 0) return
  await connection.query(
    `INSERT INTO trace_part (collector, trace_id, part, time_ms, links, payload)
       SELECT $1, * FROM unnest($2::bytea[], $3::bigint[], $4::bigint[], $5::bytea[], $6::bytea[])`,
    [collector, ...columnsOf(rows, 'id', 'part', 'dayMs', 'links', 'payload')],
  )
}

async function putNames(connection: Connection, collector: number, traces: readonly PresentTrace[]): Promise<void> {
  const rows = traces.flatMap(({ id, dayMs, trace, names }) =>
    names.map(({ name, lastStartNs, durationMinNs, durationMaxNs }) => ({
      ...{ id, name, dayMs, startNs: String(trace.startNs) },
      ...{ lastNs: String(lastStartNs), minNs: String(durationMinNs), maxNs: String(durationMaxNs) },
    })),
  )
  await connection.query(
    `INSERT INTO trace_name (collector, trace_id, name, time_ms, start_ns, last_start_ns, duration_min_ns, duration_max_ns)
       SELECT $1, * FROM unnest($2::bytea[], $3::integer[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[], $8::bigint[])`,
    [collector, ...columnsOf(rows, 'id', 'name', 'dayMs', 'startNs', 'lastNs', 'minNs', 'maxNs')],
  )
}

async function putUpgrades(connection: Connection, collector: number, traces: readonly PresentTrace[]): Promise<void> {
  const rows = traces.flatMap(({ id, upgradeClusters }) => upgradeClusters.map((cluster) => ({ cluster, id })))
  if (rows.length === 0) return
  await lockPositions(connection)
  await connection.query(
    `INSERT INTO upgrade_trace (collector, cluster, trace_id, position)
       SELECT $1, cluster, id, nextval('span_position') FROM unnest($2::text[], $3::bytea[]) AS row (cluster, id)`,
    [collector, ...columnsOf(rows, 'cluster', 'id')],
  )
}
