import { compareText } from '../../model/labels.ts'
import { EVENTS } from '../observations/object-codec.ts'
import { columnsOf, type Connection } from './postgres.ts'
import type { ChangedRows, ClusterRow, StateRow } from './row-source.ts'

/** Observations of one collector to PostgreSQL, in place of its earlier rows of the same keys. */

type ObservationRows = Omit<ChangedRows, 'traces' | 'records'>

/** Numbers of clusters that changed for readers. */
export interface ChangedClusters {
  readonly all: ReadonlySet<number>
  /** Those whose objects may have changed. */
  readonly objects: ReadonlySet<number>
}

/** The numbers of clusters. New names get one. */
export async function clusterNumbers(
  connection: Connection,
  names: Iterable<string>,
): Promise<ReadonlyMap<string, number>> {
  // Sorted: two transactions that insert the same names do not wait for each other.
  const sorted = [...new Set(names)].sort(compareText)
  const numbers = new Map(await knownNumbers(connection, sorted))
  const missing = sorted.filter((name) => !numbers.has(name))
  if (missing.length === 0) return numbers
  await connection.query(
    'INSERT INTO observed_cluster (name) SELECT * FROM unnest($1::text[]) ORDER BY 1 ON CONFLICT DO NOTHING',
    [missing],
  )
  for (const [name, id] of await knownNumbers(connection, missing)) numbers.set(name, id)
  return numbers
}

/** The numbers of those that have observations. */
async function knownNumbers(connection: Connection, names: readonly string[]): Promise<ReadonlyMap<string, number>> {
  if (names.length === 0) return new Map()
  const rows = await connection.query<{ id: number; name: string }>(
    'SELECT id, name FROM observed_cluster WHERE name = ANY($1::text[])',
    [names],
  )
  return new Map(rows.map(({ id, name }) => [name, id]))
}

export async function shipObservations(
  connection: Connection,
  collector: number,
  rows: ObservationRows,
): Promise<ChangedClusters> {
  const { clusters, objects, states, listings, claims, releasedClaims } = rows
  const names = [clusters, objects, states, listings].flatMap((list) =>
    (list as readonly { readonly cluster: string }[]).map(({ cluster }) => cluster),
  )
  const numbers = await clusterNumbers(connection, names)
  const numbered = <R extends { readonly cluster: string }>(list: readonly R[]) =>
    list.map((row) => ({ ...row, cluster: numbers.get(row.cluster)! }))

  const moved = await shipClusters(connection, collector, numbered(clusters))
  await shipObjects(connection, collector, numbered(distinct(objects)))
  await shipStates(connection, collector, numbered(states))
  await shipListings(connection, collector, numbered(listings))
  await shipClaims(connection, collector, rows)

  // What changes nothing in the rows of one collector may do so in the rows of several.
  const touched = new Set([...objects, ...states, ...listings].map(({ cluster }) => numbers.get(cluster)!))
  const shared = await sharedOf(connection, touched)
  // A name that is only claimed is no cluster: it gets no number.
  const claimed = new Set([...claims, ...releasedClaims].map(({ name }) => name))
  const named = await knownNumbers(connection, [...claimed])
  return {
    all: new Set([...moved.all, ...shared, ...named.values()]),
    objects: new Set([...moved.objects, ...shared]),
  }
}

/** An upsert cannot meet a row twice. */
function distinct(objects: ChangedRows['objects']): ChangedRows['objects'] {
  const byKey = new Map(
    objects.map((row) => [`${row.cluster}\0${row.kind}\0${Buffer.from(row.uid).toString('hex')}`, row]),
  )
  return [...byKey.values()]
}

/** Those of which several collectors have rows. */
async function sharedOf(connection: Connection, clusters: ReadonlySet<number>): Promise<readonly number[]> {
  if (clusters.size === 0) return []
  const rows = await connection.query<{ cluster: number }>(
    `SELECT cluster FROM collected_cluster WHERE cluster = ANY($1::integer[]) GROUP BY cluster HAVING count(*) > 1`,
    [[...clusters]],
  )
  return rows.map(({ cluster }) => cluster)
}

/** A collector counts the changes of its clusters: a cluster whose numbers are as before did not change for readers. */
async function shipClusters(
  connection: Connection,
  collector: number,
  rows: readonly (Omit<ClusterRow, 'cluster'> & { readonly cluster: number })[],
): Promise<{ readonly all: readonly number[]; readonly objects: readonly number[] }> {
  if (rows.length === 0) return { all: [], objects: [] }
  const before = await connection.query<{ cluster: number; position: number; objects: number }>(
    `SELECT cluster, position, objects_position AS objects FROM collected_cluster
       WHERE collector = $1 AND cluster = ANY($2::integer[])`,
    [collector, rows.map(({ cluster }) => cluster)],
  )
  const known = new Map(before.map((row) => [row.cluster, row]))
  await connection.query(
    `INSERT INTO collected_cluster (collector, cluster, objects_seen_ms, joined, position, objects_position)
       SELECT $1, * FROM unnest($2::integer[], $3::bigint[], $4::text[], $5::bigint[], $6::bigint[])
       ON CONFLICT (cluster, collector) DO UPDATE SET objects_seen_ms = excluded.objects_seen_ms, joined = excluded.joined,
         position = excluded.position, objects_position = excluded.objects_position`,
    [collector, ...columnsOf(rows, 'cluster', 'seenMs', 'joined', 'position', 'objectsPosition')],
  )
  const changed = (isChanged: (row: (typeof rows)[number], was: (typeof before)[number]) => boolean) =>
    rows.flatMap((row) => {
      const was = known.get(row.cluster)
      return was === undefined || isChanged(row, was) ? [row.cluster] : []
    })
  return {
    all: changed(({ position }, was) => position !== was.position),
    objects: changed(({ objectsPosition }, was) => objectsPosition !== was.objects),
  }
}

async function shipObjects(
  connection: Connection,
  collector: number,
  rows: readonly (Omit<ChangedRows['objects'][number], 'cluster'> & { readonly cluster: number })[],
): Promise<void> {
  if (rows.length === 0) return
  await connection.query(
    `INSERT INTO observed_object (collector, cluster, kind, uid, namespace, name, listed_minute)
       SELECT $1, * FROM unnest($2::integer[], $3::smallint[], $4::bytea[], $5::text[], $6::text[], $7::bigint[])
       ON CONFLICT (cluster, kind, uid, collector) DO UPDATE SET namespace = excluded.namespace, name = excluded.name,
         listed_minute = excluded.listed_minute`,
    [collector, ...columnsOf(rows, 'cluster', 'kind', 'uid', 'namespace', 'name', 'listedMinute')],
  )
}

type NumberedState = Omit<StateRow, 'cluster'> & { readonly cluster: number }

async function shipStates(connection: Connection, collector: number, rows: readonly NumberedState[]): Promise<void> {
  if (rows.length === 0) return
  await removeOlderEvents(
    connection,
    collector,
    rows.filter(({ kind }) => kind === EVENTS),
  )
  await connection.query(
    `INSERT INTO object_state (collector, cluster, kind, uid, is_deleted, hash, first_version, first_ms, first_change,
         first_manager, last_version, last_ms, last_change, last_manager, seen_ms, facts)
       SELECT $1, cluster, kind, uid, is_deleted = 1, hash, first_version, first_ms, first_change, first_manager,
         last_version, last_ms, last_change, last_manager, seen_ms, facts
       FROM unnest($2::integer[], $3::smallint[], $4::bytea[], $5::smallint[], $6::bigint[], $7::bigint[], $8::bigint[],
         $9::smallint[], $10::text[], $11::bigint[], $12::bigint[], $13::smallint[], $14::text[], $15::bigint[], $16::bytea[])
         AS row (cluster, kind, uid, is_deleted, hash, first_version, first_ms, first_change, first_manager, last_version,
           last_ms, last_change, last_manager, seen_ms, facts)
       ON CONFLICT (cluster, kind, uid, collector, is_deleted, hash) DO UPDATE SET first_version = excluded.first_version,
         first_ms = excluded.first_ms, first_change = excluded.first_change, first_manager = excluded.first_manager,
         last_version = excluded.last_version, last_ms = excluded.last_ms, last_change = excluded.last_change,
         last_manager = excluded.last_manager, seen_ms = excluded.seen_ms`,
    [
      collector,
      ...columnsOf(rows, 'cluster', 'kind', 'uid', 'isDeleted', 'hash'),
      ...columnsOf(rows, 'firstVersion', 'firstMs', 'firstChange', 'firstManager'),
      ...columnsOf(rows, 'lastVersion', 'lastMs', 'lastChange', 'lastManager', 'seenMs', 'facts'),
    ],
  )
}

/** Of an Event a collector has only the newest state. */
async function removeOlderEvents(
  connection: Connection,
  collector: number,
  rows: readonly NumberedState[],
): Promise<void> {
  if (rows.length === 0) return
  await connection.query(
    `DELETE FROM object_state AS older USING unnest($2::integer[], $3::bytea[], $4::bigint[]) AS row (cluster, uid, hash)
       WHERE older.collector = $1 AND older.kind = ${EVENTS} AND older.cluster = row.cluster AND older.uid = row.uid
         AND older.hash <> row.hash`,
    [collector, ...columnsOf(rows, 'cluster', 'uid', 'hash')],
  )
}

async function shipListings(
  connection: Connection,
  collector: number,
  rows: readonly (Omit<ChangedRows['listings'][number], 'cluster'> & { readonly cluster: number })[],
): Promise<void> {
  if (rows.length === 0) return
  await connection.query(
    `INSERT INTO object_listing (collector, cluster, kind, namespace, minutes)
       SELECT $1, * FROM unnest($2::integer[], $3::smallint[], $4::text[], $5::bytea[])
       ON CONFLICT (cluster, kind, namespace, collector) DO UPDATE SET minutes = excluded.minutes`,
    [collector, ...columnsOf(rows, 'cluster', 'kind', 'namespace', 'minutes')],
  )
}

async function shipClaims(
  connection: Connection,
  collector: number,
  { claims, releasedClaims }: Pick<ObservationRows, 'claims' | 'releasedClaims'>,
): Promise<void> {
  if (releasedClaims.length > 0) {
    await connection.query(
      `DELETE FROM cluster_claim WHERE collector = $1 AND (cluster, name) IN (SELECT * FROM unnest($2::text[], $3::text[]))`,
      [collector, ...columnsOf(releasedClaims, 'cluster', 'name')],
    )
  }
  if (claims.length === 0) return
  await connection.query(
    `INSERT INTO cluster_claim (collector, cluster, name, kind, is_joining, is_bound, refusal, first_ms, last_ms)
       SELECT $1, cluster, name, kind, is_joining = 1, is_bound = 1, refusal, first_ms, last_ms
       FROM unnest($2::text[], $3::text[], $4::text[], $5::smallint[], $6::smallint[], $7::text[], $8::bigint[], $9::bigint[])
         AS row (cluster, name, kind, is_joining, is_bound, refusal, first_ms, last_ms)
       ON CONFLICT (cluster, name, collector) DO UPDATE SET kind = excluded.kind, is_joining = excluded.is_joining,
         is_bound = excluded.is_bound, refusal = excluded.refusal, first_ms = excluded.first_ms, last_ms = excluded.last_ms`,
    [
      collector,
      ...columnsOf(claims, 'cluster', 'name', 'kind', 'isJoining', 'isBound', 'refusal', 'firstMs', 'lastMs'),
    ],
  )
}

/** Gives changed clusters new positions. Call last in the transaction, after `lockPositions`. */
export async function moveClusters(connection: Connection, { all, objects }: ChangedClusters): Promise<void> {
  if (all.size + objects.size === 0) return
  await connection.query(
    `UPDATE observed_cluster SET position = moved.position,
         objects_position = CASE WHEN id = ANY($2::integer[]) THEN moved.position ELSE objects_position END
       FROM (SELECT cluster, nextval('observed_position') AS position FROM unnest($1::integer[]) AS one (cluster)) AS moved
       WHERE id = moved.cluster`,
    [[...new Set([...all, ...objects])], [...objects]],
  )
}
