/**
 * What it costs to ship observations to PostgreSQL. For a thousand clusters: committing 30 objects each with and without the log
 * of changes, shipping all of them at first and one changed object per cluster afterwards, bytes per cluster in PostgreSQL, and
 * reading one cluster from PostgreSQL beside SQLite. CPU is that of this process; PostgreSQL is another one.
 */
import { STORE_DEFAULTS } from '../src/store/options.ts'
import { runsOfSamples } from '../src/fleet/signals/signal-runs.ts'
import type { ObjectObservation } from '../src/model/observation.ts'
import type { CollectedSeries } from '../src/model/signal-samples.ts'
import { openDatabaseForReading } from '../src/store/database.ts'
import { openFactsIn } from '../src/store/facts/facts.ts'
import { SqlObservations } from '../src/store/observations/observation-reader.ts'
import { POSTGRES_DEFAULTS } from '../src/store/postgres/options.ts'
import { createPool } from '../src/store/postgres/pool.ts'
import { ChangeSource } from '../src/store/shipping/change-source.ts'
import { PostgresObservations } from '../src/store/shipping/observation-reader.ts'
import { onConnection } from '../src/store/shipping/postgres.ts'
import { Shipper } from '../src/store/shipping/shipper.ts'
import { SignalSamples } from '../src/store/shipping/signal-samples.ts'
import { openWriter } from '../src/store/writer.ts'
import { findPostgres, startPostgres } from '../test/support/postgres.ts'
import { tempDir } from '../test/support/temp-dir.ts'

const NOW_MS = 1_760_000_000_000
const OBJECTS = 30
const GROUPS = 12
const SERIES_PER_GROUP = 4
const READS = 300

const nameOf = (cluster: number): string => `cluster-${cluster}`

function object(cluster: number, number: number, version: number): ObjectObservation {
  return {
    cluster: nameOf(cluster),
    uid: `${String(cluster).padStart(8, '0')}-0000-4000-8000-${String(number).padStart(12, '0')}`,
    name: `node-${number}`,
    namespace: '',
    resourceVersion: String(version),
    change: 'modified',
    observedMs: NOW_MS + version * 1000,
    facts: {
      kind: 'nodes',
      isReady: true,
      isSchedulable: version % 2 === 0,
      readyChangedMs: NOW_MS + version,
      roles: ['worker'],
      kubeletVersion: 'v1.33.4',
    },
  }
}

/** A week of even scrapes. */
function seriesOf(group: number): CollectedSeries[] {
  return Array.from({ length: SERIES_PER_GROUP }, (_, i) => ({
    ...{ signal: 'operand_ready', labels: { component: `c${i}` }, combine: 'max' },
    ...{ identity: `identity ${group} ${i}`, series: `series ${group} ${i}` },
    runs: [{ firstMs: NOW_MS, stepMs: 30_000, count: 20_000, value: 1, isStale: false }],
  }))
}

interface Cost {
  readonly cpuMs: number
  readonly wallMs: number
}

async function costOf(work: () => Promise<unknown>): Promise<Cost> {
  const [cpu, startedMs] = [process.cpuUsage(), performance.now()]
  await work()
  const { user, system } = process.cpuUsage(cpu)
  return { cpuMs: (user + system) / 1000, wallMs: performance.now() - startedMs }
}

export async function run({ quick }: { readonly quick?: boolean }): Promise<void> {
  const clusters = quick === true ? 100 : 1000
  const folder = findPostgres()
  if (folder === undefined) {
    console.log('PostgreSQL is not installed')
    return
  }
  const server = await startPostgres(folder)
  const data = tempDir('bench-shipping')
  const plainData = tempDir('bench-shipping-plain')
  const options = { ...POSTGRES_DEFAULTS, url: await server.createDatabase() }
  const facts = await openFactsIn(options)
  const pool = await createPool(options)
  const [writer, plain] = [data, plainData].map(({ path }, i) =>
    openWriter({ ...STORE_DEFAULTS, dir: path, isShipping: i === 0 }, NOW_MS),
  )
  try {
    const commitAll = async (into: typeof writer, version: number, objects: number): Promise<void> => {
      for (let cluster = 0; cluster < clusters; cluster++) {
        into!.observations.putObjects(Array.from({ length: objects }, (_, i) => object(cluster, i, version)))
        await into!.appender.commit()
      }
    }
    const without = await costOf(() => commitAll(plain, 1, OBJECTS))
    const logged = await costOf(() => commitAll(writer, 1, OBJECTS))
    const db = openDatabaseForReading(data.path)
    const shipper = new Shipper(db, pool)
    let shipped = 0
    const shipAll = async (): Promise<void> => {
      for (;;) {
        const step = await shipper.step(NOW_MS)
        shipped += step.shipped
        if (step.changesLeft === 0) return
      }
    }
    const first = await costOf(shipAll)
    const firstRows = shipped
    const withoutAgain = await costOf(() => commitAll(plain, 2, 1))
    const loggedAgain = await costOf(() => commitAll(writer, 2, 1))
    const changes = await costOf(shipAll)
    const samples = new SignalSamples(pool, new ChangeSource(db).state()!.collector)
    const sampled = await costOf(async () => {
      for (let from = 0; from < clusters; from += 50) {
        await samples.put(
          Array.from({ length: Math.min(50, clusters - from) }, (_, i) =>
            Array.from({ length: GROUPS }, (_, group) => ({
              ...{ cluster: nameOf(from + i), group: `group-${group}`, fromMs: NOW_MS, series: seriesOf(group) },
            })),
          ).flat(),
        )
      }
    })
    const bytes = await onConnection(pool, async (connection) => {
      const tables = ['observed_object', 'object_state', 'collected_cluster', 'observed_cluster']
      const [row] = await connection.query<{ objects: number; samples: number }>(
        `SELECT (SELECT sum(pg_total_relation_size(name::regclass)) FROM unnest($1::text[]) AS one (name))::bigint AS objects,
           (SELECT sum(pg_total_relation_size(inhrelid)) FROM pg_inherits WHERE inhparent = 'signal_samples'::regclass)::bigint
             AS samples`,
        [tables],
      )
      return row!
    })
    const readAll = (reader: Pick<SqlObservations, 'read'>): Promise<Cost> =>
      costOf(async () => {
        for (let i = 0; i < Math.min(READS, clusters); i++) await reader.read(nameOf(i))
      })
    const inSqlite = await readAll(new SqlObservations(db))
    const remote = new PostgresObservations(pool, runsOfSamples)
    const inPostgres = await readAll(remote)
    const again = await readAll(remote)
    db.close()

    const per = ({ cpuMs }: Cost): string => ((cpuMs / clusters) * 1000).toFixed(0).padStart(7)
    const each = ({ wallMs }: Cost): string => (wallMs / Math.min(READS, clusters)).toFixed(2).padStart(7)
    console.log(`${clusters} clusters, ${OBJECTS} objects each; CPU ms are of 1,000 clusters`)
    console.log(`commit ${OBJECTS} objects, not shipped     ${per(without)} ms CPU`)
    console.log(`the same with the log of changes     ${per(logged)} ms CPU`)
    console.log(`commit 1 changed object, not shipped ${per(withoutAgain)} ms CPU`)
    console.log(`the same with the log of changes     ${per(loggedAgain)} ms CPU`)
    console.log(
      `ship everything at first             ${per(first)} ms CPU, ${((firstRows / first.wallMs) * 1000).toFixed(0)} rows a second`,
    )
    console.log(`ship 1 changed object per cluster    ${per(changes)} ms CPU`)
    console.log(`share a week of ${GROUPS * SERIES_PER_GROUP} signal series      ${per(sampled)} ms CPU`)
    console.log(`bytes of objects in PostgreSQL       ${(bytes.objects / clusters).toFixed(0).padStart(7)} a cluster`)
    console.log(
      `bytes of samples in PostgreSQL       ${(bytes.samples / clusters).toFixed(0).padStart(7)} a cluster and week`,
    )
    console.log(`read a cluster from SQLite           ${each(inSqlite)} ms`)
    console.log(`read a cluster from PostgreSQL       ${each(inPostgres)} ms, unchanged ${each(again).trim()} ms`)
  } finally {
    for (const one of [writer, plain]) await one?.close()
    await pool.end()
    await facts.close()
    await server.stop()
    for (const dir of [data, plainData]) dir.remove()
  }
}
