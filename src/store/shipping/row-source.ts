import { readable } from '../database.ts'
import { Statements } from '../statements.ts'
import type { ChangedKey } from './changed-keys.ts'

/** The rows of changed keys, as they are now. Rows that were removed since, or are damaged, are left out. */

export interface ClusterRow {
  readonly cluster: string
  readonly seenMs: number
  readonly joined: string | null
  readonly position: number
  readonly objectsPosition: number
}

export interface ObjectRow {
  readonly cluster: string
  readonly kind: number
  readonly uid: Uint8Array
  readonly namespace: string
  readonly name: string
  readonly listedMinute: number
}

export interface StateRow {
  readonly cluster: string
  readonly kind: number
  readonly uid: Uint8Array
  readonly isDeleted: number
  readonly hash: number
  readonly firstVersion: number
  readonly firstMs: number
  readonly firstChange: number
  readonly firstManager: string | null
  readonly lastVersion: number
  readonly lastMs: number
  readonly lastChange: number
  readonly lastManager: string | null
  readonly seenMs: number
  readonly facts: Uint8Array
}

export interface ListingRow {
  readonly cluster: string
  readonly kind: number
  readonly namespace: string
  readonly minutes: Uint8Array
}

export interface ClaimRow {
  readonly cluster: string
  readonly name: string
  readonly kind: string
  readonly isJoining: number
  readonly isBound: number
  readonly refusal: string | null
  readonly firstMs: number
  readonly lastMs: number
}

export interface TracePartRow {
  readonly id: number
  readonly links: Uint8Array
  readonly payload: Uint8Array
}

export interface TraceNameRow {
  readonly service: string | null
  readonly operation: string | null
  readonly kinds: bigint | null
  readonly startNs: bigint
  readonly lastStartNs: bigint
  readonly durationMinNs: bigint
  readonly durationMaxNs: bigint
}

export interface TraceRows {
  readonly traceId: string
  /** Undefined: the trace was removed. */
  readonly trace:
    | {
        readonly startNs: bigint
        readonly lastStartNs: bigint
        readonly retainedFromMs: bigint
        readonly areTagsCut: bigint
        readonly isCut: bigint
      }
    | undefined
  readonly spanCount: number
  readonly parts: readonly TracePartRow[]
  readonly names: readonly TraceNameRow[]
  readonly tags: readonly number[]
  readonly upgradeClusters: readonly string[]
}

export interface RecordRow {
  readonly timeNs: bigint
  readonly cluster: string
  readonly service: string
  readonly hash: bigint
  readonly severity: bigint
  readonly traceId: Uint8Array | null
  readonly payload: Uint8Array
}

export interface ChangedRows {
  readonly clusters: readonly ClusterRow[]
  readonly objects: readonly ObjectRow[]
  readonly states: readonly StateRow[]
  readonly listings: readonly ListingRow[]
  readonly claims: readonly ClaimRow[]
  /** Claims that are there no more. */
  readonly releasedClaims: readonly Pick<ClaimRow, 'cluster' | 'name'>[]
  readonly traces: readonly TraceRows[]
  readonly records: readonly RecordRow[]
}

type Lists = { -readonly [K in keyof ChangedRows]: ChangedRows[K][number][] }

const OBJECT = `SELECT observed_cluster.name AS cluster, kind, uid, namespace, observed_object.name AS name,
  listed_minute AS listedMinute FROM observed_object JOIN observed_cluster ON observed_cluster.id = cluster`

const TRACE = `SELECT id, start_ns AS startNs, last_start_ns AS lastStartNs, kept_ms AS retainedFromMs,
  tags_cut AS areTagsCut, is_cut AS isCut FROM trace WHERE trace_id = ?`

const RECORD = `SELECT time_ns AS timeNs, cluster, service, hash, severity, trace_id AS traceId, payload FROM log_record
  JOIN log_source ON log_source.id = source WHERE time_ns = ? AND source = ? AND hash = ?`

const NAME = `SELECT service, operation, kinds, start_ns AS startNs, last_start_ns AS lastStartNs,
  duration_min_ns AS durationMinNs, duration_max_ns AS durationMaxNs
  FROM trace_name LEFT JOIN span_name ON span_name.id = name WHERE trace = ?`

export class RowSource extends Statements {
  /** Rows that were damaged since the start. */
  damagedCount = 0
  readonly #cluster = this.db.prepare<[number], ClusterRow>(
    `SELECT name AS cluster, heard_ms AS seenMs, joined, position, objects_position AS objectsPosition
       FROM observed_cluster WHERE id = ?`,
  )
  readonly #clusterName = this.db.prepare<[number], string>('SELECT name FROM observed_cluster WHERE id = ?').pluck()
  readonly #object = this.db.prepare<[number], ObjectRow>(`${OBJECT} WHERE observed_object.id = ?`)
  readonly #scope = this.db.prepare<[number, number, string], ObjectRow>(
    `${OBJECT} WHERE cluster = ? AND kind = ? AND namespace = ?`,
  )
  readonly #state = this.db.prepare<[number, number, number], StateRow>(
    `SELECT observed_cluster.name AS cluster, kind, uid, is_deleted AS isDeleted, hash, first_version AS firstVersion,
       first_ms AS firstMs, first_change AS firstChange, last_version AS lastVersion, last_ms AS lastMs,
       last_change AS lastChange, seen_ms AS seenMs, facts,
       (SELECT text FROM field_manager WHERE id = first_manager) AS firstManager,
       (SELECT text FROM field_manager WHERE id = last_manager) AS lastManager
     FROM object_state JOIN observed_object ON observed_object.id = object
       JOIN observed_cluster ON observed_cluster.id = cluster
     WHERE object = ? AND is_deleted = ? AND hash = ?`,
  )
  readonly #minutes = this.db
    .prepare<[number, number, string], Uint8Array>(
      'SELECT minutes FROM object_listing WHERE cluster = ? AND kind = ? AND namespace = ?',
    )
    .pluck()
  readonly #claim = this.db.prepare<[string, string], ClaimRow>(
    `SELECT cluster, name, kind, is_joining AS isJoining, is_bound AS isBound, refusal, first_ms AS firstMs,
       last_ms AS lastMs FROM cluster_claim WHERE cluster = ? AND name = ?`,
  )
  readonly #trace = this.db
    .prepare<[Uint8Array], NonNullable<TraceRows['trace']> & { readonly id: bigint }>(TRACE)
    .safeIntegers()
  readonly #parts = this.db.prepare<[bigint], TracePartRow & { readonly spanCount: number }>(
    'SELECT id, span_count AS spanCount, links, payload FROM trace_part WHERE trace = ? ORDER BY id',
  )
  readonly #names = this.db.prepare<[bigint], TraceNameRow>(NAME).safeIntegers()
  readonly #tags = this.db.prepare<[bigint], number>('SELECT tag FROM trace_tag WHERE trace = ?').pluck()
  readonly #upgrades = this.db.prepare<[bigint], string>('SELECT cluster FROM upgrade_trace WHERE trace = ?').pluck()
  readonly #record = this.db.prepare<[bigint, number, number], RecordRow>(RECORD).safeIntegers()

  /** As of one moment. */
  rowsOf(keys: readonly ChangedKey[]): ChangedRows {
    const rows: Lists = {
      ...{ clusters: [], objects: [], states: [], listings: [] },
      ...{ claims: [], releasedClaims: [], traces: [], records: [] },
    }
    this.atomically(() => {
      for (const key of keys) {
        const isRead = readable(() => {
          this.#read(key, rows)
          return true
        })
        if (isRead === undefined) this.damagedCount++
      }
    })
    return rows
  }

  #read(key: ChangedKey, into: Lists): void {
    switch (key.kind) {
      case 'cluster':
        put(into.clusters, this.#cluster.get(key.cluster))
        return
      case 'object':
        put(into.objects, this.#object.get(key.object))
        return
      case 'state':
        put(into.states, this.#state.get(key.object, Number(key.isDeleted), key.hash))
        return
      case 'listing':
        this.#readListing(key, into)
        return
      case 'claim': {
        const { cluster, name } = key
        const claim = this.#claim.get(cluster, name)
        if (claim === undefined) into.releasedClaims.push({ cluster, name })
        else into.claims.push(claim)
        return
      }
      case 'trace':
        into.traces.push(this.#readTrace(key.traceId))
        return
      case 'record':
        put(into.records, this.#record.get(key.timeNs, key.source, key.hash))
    }
  }

  #readListing(key: ChangedKey & { readonly kind: 'listing' }, into: Lists): void {
    const { cluster: id, objectKind: kind, namespace } = key
    const cluster = this.#clusterName.get(id)
    const minutes = this.#minutes.get(id, kind, namespace)
    if (cluster === undefined || minutes === undefined) return
    into.listings.push({ cluster, kind, namespace, minutes })
    into.objects.push(...this.#scope.all(id, kind, namespace))
  }

  #readTrace(traceId: string): TraceRows {
    const trace = this.#trace.get(Buffer.from(traceId, 'hex'))
    if (trace === undefined) {
      return { traceId, trace, spanCount: 0, parts: [], names: [], tags: [], upgradeClusters: [] }
    }
    const parts = this.#parts.all(trace.id)
    return {
      traceId,
      trace,
      spanCount: parts.reduce((sum, { spanCount }) => sum + spanCount, 0),
      parts,
      names: this.#names.all(trace.id),
      tags: this.#tags.all(trace.id),
      upgradeClusters: this.#upgrades.all(trace.id),
    }
  }
}

function put<T>(list: T[], row: T | undefined): void {
  if (row !== undefined) list.push(row)
}
