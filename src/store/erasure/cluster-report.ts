import type Database from 'better-sqlite3'
import { setImmediate } from 'node:timers/promises'
import { mentionsAny } from '../../model/erasure.ts'
import { STORED_NAMES_MAX, type ClusterReport, type StoredKind, type StoredPart } from '../../model/cluster-report.ts'
import type { SeriesRef } from '../../model/series.ts'
import { asFailure, openDatabaseForReading } from '../database.ts'
import { kindOf, unpackFacts } from '../observations/object-codec.ts'
import { decodeDirectory } from '../packs/pack-codec.ts'
import { decodeEdges } from '../rollups/rollup-pack.ts'
import { decodeSpans } from '../spans/span-codec.ts'
import { isKnownCluster, namesOfCluster } from './cluster-names.ts'

/**
 * What is stored about a cluster, by a look at all rows that may be about it. Slow, and in slices: other reads run in between.
 */

/** The series of a cluster, from the index. */
export interface ClusterSeries {
  readonly refs: ReadonlySet<SeriesRef>
  readonly metrics: readonly string[]
  readonly labels: readonly string[]
}

export interface ClusterReportReader {
  /** `undefined`: nothing is stored of a cluster of this name. */
  report(cluster: string): Promise<ClusterReport | undefined>
  close(): void
}

/** Rows of packs and rollups in one slice, and traces. */
const ROWS_PER_SLICE = 64
/** The newest traces that are looked through: some seconds. */
const TRACES_MAX = 20_000
/** States of each kind whose fields are listed. */
const STATES_READ = 50

/** @param seriesOf the series with one of the names in a label that names a cluster */
export function openClusterReports(
  dir: string,
  seriesOf: (names: readonly string[]) => ClusterSeries,
): ClusterReportReader {
  const db = openDatabaseForReading(dir)
  return {
    report: async (cluster) => {
      const names = namesOfCluster(db, cluster)
      const series = seriesOf(names)
      if (series.refs.size === 0 && !isKnownCluster(db, cluster)) return undefined
      const stored: StoredPart[] = [
        seriesPart(series),
        await samplesPart(db, series.refs),
        await rollupsPart(db, series.refs),
        ...asFailure('reading objects', () => objectParts(db, names)),
        ...(await tracePart(db, new Set(names))),
        ...asFailure('reading facts', () => factParts(db, names)),
      ]
      return { names, stored: stored.filter(({ count }) => count > 0) }
    },
    close: () => {
      db.close()
    },
  }
}

function seriesPart({ refs, metrics, labels }: ClusterSeries): StoredPart {
  return {
    what: 'series',
    count: refs.size,
    names: metrics.slice(0, STORED_NAMES_MAX),
    labels: labels.slice(0, STORED_NAMES_MAX),
  }
}

async function samplesPart(db: Database.Database, refs: ReadonlySet<SeriesRef>): Promise<StoredPart> {
  const some = db.prepare<[number], { id: number; fromMs: number; toMs: number; directory: Uint8Array; bytes: number }>(
    `SELECT id, from_ms AS fromMs, to_ms AS toMs, directory, length(payload) AS bytes FROM pack
       WHERE id > ? ORDER BY id LIMIT ${ROWS_PER_SLICE}`,
  )
  let [count, bytes, oldestMs, newestMs] = [0, 0, Infinity, -Infinity]
  for (let rows = some.all(0); rows.length > 0 && refs.size > 0; rows = some.all(rows.at(-1)!.id)) {
    for (const row of rows) {
      const directory = decodeDirectory(row.directory, row.fromMs, row.toMs)
      const all = directory.ends[directory.count - 1]!
      for (const [i, ref] of directory.refs.entries()) {
        if (!refs.has(ref)) continue
        count++
        bytes += (row.bytes * (directory.ends[i]! - (directory.ends[i - 1] ?? 0))) / all
        oldestMs = Math.min(oldestMs, directory.fromsMs[i]!)
        newestMs = Math.max(newestMs, directory.tosMs[i]!)
      }
    }
    await setImmediate()
  }
  return { what: 'samples', count, bytes: Math.round(bytes), ...(count > 0 && { oldestMs, newestMs }) }
}

async function rollupsPart(db: Database.Database, refs: ReadonlySet<SeriesRef>): Promise<StoredPart> {
  const some = db.prepare<[number], { id: number; edges: Uint8Array; bytes: number }>(
    `SELECT id, edges, length(edges) + length(extremes) + length(sums) AS bytes FROM rollup
       WHERE id > ? ORDER BY id LIMIT ${ROWS_PER_SLICE}`,
  )
  let [count, bytes] = [0, 0]
  for (let rows = some.all(0); rows.length > 0 && refs.size > 0; rows = some.all(rows.at(-1)!.id)) {
    for (const row of rows) {
      const all = decodeEdges(row.edges).refs
      const own = all.filter((ref) => refs.has(ref)).length
      count += own
      bytes += (row.bytes * own) / all.length
    }
    await setImmediate()
  }
  return { what: 'rollups', count, bytes: Math.round(bytes) }
}

function objectParts(db: Database.Database, names: readonly string[]): readonly StoredPart[] {
  const where = `cluster IN (SELECT id FROM observed_cluster WHERE name IN (SELECT value FROM json_each(?)))`
  const kinds = db
    .prepare<[string], { kind: number; count: number; bytes: number; oldestMs: number; newestMs: number }>(
      `SELECT kind, count(DISTINCT object) AS count, sum(length(facts)) AS bytes, min(first_ms) AS oldestMs,
          max(last_ms) AS newestMs FROM observed_object JOIN object_state ON object = id WHERE ${where} GROUP BY kind`,
    )
    .all(JSON.stringify(names))
  const factsOf = db
    .prepare<[string, number], Uint8Array>(
      `SELECT facts FROM observed_object JOIN object_state ON object = id WHERE ${where} AND kind = ? LIMIT ${STATES_READ}`,
    )
    .pluck()
  return kinds.map(({ kind, ...part }) => {
    const paths = new Set<string>()
    for (const facts of factsOf.all(JSON.stringify(names), kind)) addPaths(unpackFacts(facts), '', paths)
    return { what: 'objects', kind: kindOf(kind), ...part, names: [...paths].sort().slice(0, STORED_NAMES_MAX) }
  })
}

/** The fields of what is stored of objects. */
function addPaths(value: unknown, path: string, into: Set<string>): void {
  if (Array.isArray(value)) for (const item of value) addPaths(item, `${path}[*]`, into)
  else if (typeof value !== 'object' || value === null) into.add(path)
  else for (const [key, item] of Object.entries(value)) addPaths(item, path === '' ? key : `${path}.${key}`, into)
}

/** Spans have no index by cluster. */
async function tracePart(db: Database.Database, names: ReadonlySet<string>): Promise<readonly StoredPart[]> {
  const some = db.prepare<[number], { id: number; trace: Uint8Array; payload: Uint8Array }>(
    `SELECT trace_part.id AS id, trace_id AS trace, payload FROM trace_part JOIN trace ON trace.id = trace_part.trace
         WHERE trace_part.id < ? ORDER BY trace_part.id DESC LIMIT ${ROWS_PER_SLICE}`,
  )
  let [read, count, bytes, oldestMs, newestMs] = [0, 0, 0, Infinity, -Infinity]
  let rows = some.all(Number.MAX_SAFE_INTEGER)
  for (; rows.length > 0 && read < TRACES_MAX; rows = some.all(rows.at(-1)!.id)) {
    for (const { trace, payload } of rows) {
      read++
      const spans = decodeSpans(Buffer.from(trace).toString('hex'), payload)
      const own = spans.filter(({ resource }) => names.has(resource.cluster))
      count += own.length
      bytes += (payload.length * own.length) / spans.length
      for (const { startNs, endNs } of own) {
        oldestMs = Math.min(oldestMs, Number(startNs / 1_000_000n))
        newestMs = Math.max(newestMs, Number(endNs / 1_000_000n))
      }
    }
    await setImmediate()
  }
  const isPartial = rows.length > 0 ? { isPartial: true } : {}
  return [{ what: 'traces', count, bytes: Math.round(bytes), ...(count > 0 && { oldestMs, newestMs }), ...isPartial }]
}

const NAMES = 'IN (SELECT value FROM json_each(?))'

/** Count, bytes, oldest and newest time. */
const COUNTS: readonly (readonly [what: StoredKind, sql: string])[] = [
  [
    'metric_runs',
    `count(*), NULL, min(first_ms), max(last_ms) FROM metric_run
       WHERE cluster IN (SELECT id FROM observed_cluster WHERE name ${NAMES})`,
  ],
  [
    'log_records',
    `count(*), sum(length(payload)), min(time_ns) / 1000000, max(time_ns) / 1000000 FROM log_record
       WHERE source IN (SELECT id FROM log_source WHERE cluster ${NAMES})`,
  ],
  ['upgrades', `count(*), sum(length(record)), min(started_key), max(started_key) FROM upgrade WHERE cluster ${NAMES}`],
  [
    'modifications',
    `count(*), sum(length(record)), min(started_key), max(started_key) FROM modification WHERE cluster ${NAMES}`,
  ],
  ['versions', `count(*), NULL, min(from_ms), max(from_ms) FROM version_interval WHERE cluster ${NAMES}`],
  [
    'alerts',
    `count(*), sum(length(labels) + length(annotations)), min(fired_at_ms), max(fired_at_ms) FROM alert_run WHERE cluster ${NAMES}`,
  ],
  [
    'runbook_work',
    `count(*), sum(length(coalesce(text, ''))), min(at_ms), max(at_ms) FROM runbook_work WHERE cluster ${NAMES}`,
  ],
  ['claims', `count(*), NULL, NULL, max(last_ms) FROM cluster_claim WHERE cluster ${NAMES}`],
  ['tokens', `count(*), NULL, min(created_at_ms), max(created_at_ms) FROM token WHERE cluster ${NAMES}`],
]

/** Texts that may mention the cluster, with their time. */
const MENTIONS: readonly (readonly [what: StoredKind, sql: string])[] = [
  ['external_alerts', 'SELECT received_at_ms, labels FROM external_alert'],
  ['silences', 'SELECT updated_at_ms, matchers FROM silence'],
  ['deliveries', "SELECT at_ms, group_key || ' ' || payload || ' ' || coalesce(answer, '') FROM delivery"],
  ['audit', "SELECT at_ms, subject || ' ' || detail FROM audit"],
  ['sessions', "SELECT started_at_ms, person || ' ' || name || ' ' || groups FROM session"],
]

function factParts(db: Database.Database, names: readonly string[]): readonly StoredPart[] {
  const list = JSON.stringify(names)
  const counted = COUNTS.map(([what, sql]) => {
    const row = db.prepare<[string], (number | null)[]>(`SELECT ${sql}`).raw().get(list)!
    const [count, bytes, oldestMs, newestMs] = row
    return partOf(what, count ?? 0, bytes, oldestMs, newestMs)
  })
  const mentioned = MENTIONS.map(([what, sql]) => {
    let [count, bytes, oldestMs, newestMs] = [0, 0, Infinity, -Infinity]
    for (const [atMs, text] of db.prepare<[], [number, string]>(sql).raw().iterate()) {
      if (!mentionsAny(text, names)) continue
      count++
      bytes += text.length
      oldestMs = Math.min(oldestMs, atMs)
      newestMs = Math.max(newestMs, atMs)
    }
    return partOf(what, count, bytes, oldestMs, newestMs)
  })
  return [...counted, ...mentioned]
}

/** A time of -1 is not known. */
function partOf(
  what: StoredKind,
  count: number,
  bytes?: number | null,
  oldestMs?: number | null,
  newestMs?: number | null,
): StoredPart {
  const isTime = (ms: number | null | undefined): ms is number =>
    typeof ms === 'number' && Number.isFinite(ms) && ms >= 0
  return {
    what,
    count,
    ...(typeof bytes === 'number' && { bytes }),
    ...(isTime(oldestMs) && { oldestMs: Math.floor(oldestMs) }),
    ...(isTime(newestMs) && { newestMs: Math.floor(newestMs) }),
  }
}
