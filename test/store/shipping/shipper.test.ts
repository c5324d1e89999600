import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { Client } from 'pg'
import type { LogRecord } from '../../../src/model/log-record.ts'
import type { ObjectObservation } from '../../../src/model/observation.ts'
import { restoreBackup, writeBackup } from '../../../src/store/backup.ts'
import { openDatabase } from '../../../src/store/database.ts'
import { eraseObservations } from '../../../src/store/shipping/erase.ts'
import { PostgresLogs } from '../../../src/store/shipping/log-reader.ts'
import { Partitions } from '../../../src/store/shipping/partitions.ts'
import { inPostgres, lockPositions } from '../../../src/store/shipping/postgres.ts'
import { PostgresRetention } from '../../../src/store/shipping/retention.ts'
import { clusterNumbers, moveClusters } from '../../../src/store/shipping/ship-observations.ts'
import { OtherShipperError, Shipper } from '../../../src/store/shipping/shipper.ts'
import { shippedParts } from '../../../src/store/shipping/shipped-report.ts'
import { PostgresSpans } from '../../../src/store/shipping/span-reader.ts'
import { searched } from '../../support/read-spans.ts'
import { span, spanIdOf, traceIdOf } from '../../support/spans.ts'
import { POSTGRES, sharedPostgres } from '../postgres/temp-postgres.ts'
import { compiled } from '../compiled.ts'
import { startChild } from '../child.ts'
import { NOW_MS, tempDir } from '../temp-store.ts'
import { Collector, openShared } from './collectors.ts'

const CHILD = compiled('shipping/ship-child.ts')
const DAY_MS = 86_400_000
const LATE_MS = NOW_MS + 1e9
const ALL = { fromNs: 0n, toNs: 2n ** 62n, limit: 10_000 }

const source = (number: number, version: number, more: Partial<ObjectObservation> = {}): ObjectObservation => ({
  cluster: `cluster-${number}`,
  uid: `00000000-0000-4000-8000-0000000000${String(number % 100).padStart(2, '0')}`,
  name: 'a',
  namespace: 'olm',
  resourceVersion: String(version),
  change: 'modified',
  observedMs: NOW_MS + version * 1000,
  facts: { kind: 'catalogsources', connectionState: `state ${version}` },
  ...more,
})

const record = (number: number, more: Partial<LogRecord> = {}): LogRecord => ({
  timeNs: BigInt(NOW_MS) * 1_000_000n + BigInt(number),
  cluster: `cluster-${number % 7}`,
  service: 'hco',
  severity: 9,
  severityText: 'INFO',
  eventName: '',
  body: `reconciled ${number}`,
  attributes: [],
  traceId: '',
  spanId: '',
  ...more,
})

const at = (number: number, version: number, days: number, uid = '01') =>
  source(number, version, { observedMs: NOW_MS + days * DAY_MS, uid: `00000000-0000-4000-8000-0000000000${uid}` })

describe.skipIf(POSTGRES === undefined)('shipping', () => {
  const postgres = sharedPostgres()

  async function expectAll(collector: Collector, clusters: number): Promise<void> {
    const { shared } = collector
    const reader = shared.newReader()
    for (let number = 0; number < clusters; number++) {
      expect(await reader.read(`cluster-${number}`)).toEqual(await collector.reader.read(`cluster-${number}`))
    }
    const logs = new PostgresLogs(shared.pool)
    expect((await logs.logs(ALL)).map(({ body }) => body)).toEqual(
      (await collector.logs.logs(ALL)).map(({ body }) => body),
    )
    const spans = new PostgresSpans(shared.pool)
    expect(await searched(spans, ALL)).toEqual(await searched(collector.spans, ALL))
  }

  test('is complete after any number of kills, and has nothing twice', async () => {
    const shared = await openShared(await postgres.options())
    const collector = new Collector(shared)
    let number = 0
    const put = (): Promise<void> =>
      collector.commit(({ observations, logs, spans }) => {
        number++
        observations.putObjects([source(number % 20, number), source((number * 7) % 20, number)])
        logs.putLogs([record(number)])
        spans.putSpans([span({ traceId: traceIdOf(1 + (number % 9)), spanId: spanIdOf(number) })], NOW_MS)
      })
    for (let i = 0; i < 50; i++) await put()
    for (let kill = 0; kill < 8; kill++) {
      const shipping = startChild(CHILD, [collector.store.options.dir, shared.options.url])
      // In the middle of something: what it does next is not awaited.
      for (let step = 0; step <= kill; step++) {
        await put()
        expect(await shipping.line()).toMatch(/^left/)
        await put()
      }
      await shipping.kill()
    }
    await collector.ship(LATE_MS)
    await expectAll(collector, 20)
    const [row] = await shared.ask<{ count: number }>('SELECT count(*) AS count FROM log_record')
    expect(row).toEqual({ count: number })
  }, 120_000)

  test('goes on when PostgreSQL was killed, and says what failed', async () => {
    const shared = await openShared(await postgres.options())
    const collector = new Collector(shared)
    await collector.commit(({ observations }) => {
      observations.putObjects([source(0, 1)])
    })
    await collector.ship(LATE_MS)
    await postgres.server.kill()
    await collector.commit(({ observations, logs }) => {
      observations.putObjects([source(0, 2)])
      logs.putLogs([record(1)])
    })
    for (let attempt = 0; attempt < 2; attempt++) {
      await expect(collector.shipper.step(LATE_MS)).rejects.toMatchObject({ code: 'not_ready' })
    }
    await expect(shared.newReader().read('cluster-0')).rejects.toMatchObject({ code: 'not_ready' })
    await postgres.server.start()
    await collector.ship(LATE_MS)
    await expectAll(collector, 1)
  })

  test('of a directory that a backup replaced begins anew, and so does that to an older PostgreSQL', async () => {
    const shared = await openShared(await postgres.options())
    const collector = new Collector(shared)
    await collector.commit(({ observations }) => {
      observations.putObjects([source(0, 1)])
    })
    await collector.ship(LATE_MS)
    const [file, dir] = [join(tempDir(), 'daytwo.backup'), join(tempDir(), 'restored')]
    const mark = { atMs: NOW_MS, version: '1.2.3' }
    await writeBackup({
      dir: collector.store.options.dir,
      ...{ file, mark, bytesPerSecondMax: Infinity, onProgress: () => undefined },
    })
    await restoreBackup({ file, dir, replaces: false })
    const restored = new Collector(shared, { dir })
    await restored.commit(({ observations }) => {
      observations.putObjects([source(1, 1)])
    })
    expect((await restored.shipper.step(LATE_MS)).changesLeft).toBeUndefined()
    await restored.ship(LATE_MS)
    await expectAll(restored, 2)
    // Changes up to there are removed, and PostgreSQL does not have them.
    const { shippedSeq } = await restored.ship(LATE_MS)
    await restored.store.writer.removeShipped(shippedSeq)
    await shared.ask('UPDATE collector SET shipped_seq = 0')
    await shared.ask('DELETE FROM object_state')
    restored.newShipper()
    expect((await restored.shipper.step(LATE_MS)).changesLeft).toBeUndefined()
    await restored.ship(LATE_MS)
    await expectAll(restored, 2)
  })

  test('by a second process of the same directory changes nothing behind the first', async () => {
    const shared = await openShared(await postgres.options())
    const collector = new Collector(shared)
    const [one, other] = [collector.shipper, new Shipper(collector.db, shared.pool)]
    while ((await one.step(LATE_MS)).changesLeft !== 0) continue
    while ((await other.step(LATE_MS)).changesLeft !== 0) continue
    await collector.commit(({ observations }) => {
      observations.putObjects([source(0, 1)])
    })
    await one.step(LATE_MS)
    await expect(other.step(LATE_MS)).rejects.toBeInstanceOf(OtherShipperError)
    await other.step(LATE_MS)
    await expectAll(collector, 1)
  })

  test('leaves out rows that PostgreSQL refuses, and ships those beside them', async () => {
    const shared = await openShared(await postgres.options())
    const collector = new Collector(shared)
    await collector.ship(LATE_MS)
    await collector.commit(({ observations, logs }) => {
      observations.putObjects([source(0, 1), source(1, 1), source(2, 1)])
      logs.putLogs([record(1), record(2, { body: 'with \0 and \u0001' })])
    })
    const db = openDatabase(collector.store.options.dir)
    db.exec(
      "UPDATE observed_object SET kind = 99999 WHERE cluster = (SELECT id FROM observed_cluster WHERE name = 'cluster-1')",
    )
    db.close()
    const { refused } = await collector.ship(LATE_MS)
    expect(refused).toBe(2)
    expect((await shared.newReader().read('cluster-0')).objects).toHaveLength(1)
    expect((await shared.newReader().read('cluster-1')).objects).toHaveLength(0)
    expect((await shared.newReader().read('cluster-2')).objects).toHaveLength(1)
    expect(await new PostgresLogs(shared.pool).logs(ALL)).toEqual(await collector.logs.logs(ALL))
  })

  test('costs nothing in a directory that is not shipped, and its log does not grow once it is shipped', async () => {
    const shared = await openShared(await postgres.options())
    const plain = new Collector(shared, { isShipping: false })
    await plain.commit(({ observations, logs }) => {
      observations.putObjects([source(0, 1)])
      logs.putLogs([record(1)])
    })
    const count = (collector: Collector): unknown =>
      collector.db.prepare('SELECT count(*) FROM shipping_change').pluck().get()
    expect(count(plain)).toBe(0)
    const collector = new Collector(shared)
    for (let version = 1; version <= 3; version++) {
      await collector.commit(({ observations }) => {
        observations.putObjects([source(0, version)])
      })
    }
    // One row per commit.
    expect(count(collector)).toBe(3)
    const { shippedSeq } = await collector.ship(LATE_MS)
    expect(await collector.store.writer.removeShipped(shippedSeq)).toBe(false)
    expect(count(collector)).toBe(0)
    await collector.commit(({ observations }) => {
      observations.putObjects([source(0, 4)])
    })
    await collector.ship(LATE_MS)
    await expectAll(collector, 1)
    // Not shipped for a while: everything is shipped again.
    collector.store.options.isShipping = false
    await collector.store.reopen()
    await collector.commit(({ observations }) => {
      observations.putObjects([source(1, 1)])
    })
    collector.store.options.isShipping = true
    await collector.store.reopen()
    await collector.ship(LATE_MS)
    await expectAll(collector, 2)
  })

  test('a reader of positions misses no cluster, whichever transaction commits first', async () => {
    const shared = await openShared(await postgres.options())
    const reader = shared.newReader()
    await inPostgres(shared.pool, (connection) => clusterNumbers(connection, ['a', 'b']))
    const numbers = await inPostgres(shared.pool, (connection) => clusterNumbers(connection, ['a', 'b']))
    const changed = (name: string) => ({ all: new Set([numbers.get(name)!]), objects: new Set<number>() })
    const order: string[] = []
    let release: () => void = () => undefined
    const held = new Promise<void>((done) => {
      release = done
    })
    let isFirstLocked: () => void = () => undefined
    const locked = new Promise<void>((done) => {
      isFirstLocked = done
    })
    const first = inPostgres(shared.pool, async (connection) => {
      await lockPositions(connection)
      await moveClusters(connection, changed('a'))
      isFirstLocked()
      await held
      order.push('a')
    })
    await locked
    const second = inPostgres(shared.pool, async (connection) => {
      await lockPositions(connection)
      await moveClusters(connection, changed('b'))
      order.push('b')
    })
    // The second one waits: its position would be read before the first one's.
    const client = new Client(shared.options.url)
    await client.connect()
    for (;;) {
      const { rows } = await client.query("SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted")
      if (rows.length > 0) break
    }
    await client.end()
    expect(await reader.changedSince(0)).toEqual({ clusters: [], position: 0 })
    release()
    await Promise.all([first, second])
    expect(order).toEqual(['a', 'b'])
    expect((await reader.changedSince(0)).clusters).toEqual(['a', 'b'])
  })

  test('rows at the edges of partitions are each in one, and old partitions are dropped whole', async () => {
    const shared = await openShared(await postgres.options())
    const collector = new Collector(shared)
    const dayMs = Math.floor(NOW_MS / DAY_MS) * DAY_MS
    const ns = (ms: number): bigint => BigInt(ms) * 1_000_000n
    await collector.commit(({ logs, spans }) => {
      logs.putLogs([
        record(1, { timeNs: ns(dayMs) - 1n }),
        record(2, { timeNs: ns(dayMs) }),
        record(3, { timeNs: ns(dayMs + DAY_MS) - 1n }),
        record(4, { timeNs: ns(dayMs + DAY_MS) }),
      ])
      spans.putSpans([span({ endNs: ns(dayMs) - 1n }), span({ traceId: traceIdOf(2), endNs: ns(dayMs) })], NOW_MS)
    })
    await collector.ship(LATE_MS)
    const days = await shared.ask<{ day: string; count: number }>(
      'SELECT tableoid::regclass::text AS day, count(*) AS count FROM log_record GROUP BY 1 ORDER BY 1',
    )
    const day = dayMs / DAY_MS
    expect(days).toEqual([
      { day: `log_record_p${day - 1}`, count: 1 },
      { day: `log_record_p${day}`, count: 2 },
      { day: `log_record_p${day + 1}`, count: 1 },
    ])
    const partitions = new Partitions(shared.pool)
    expect(await partitions.drop('log_record', dayMs - 1)).toBe(0)
    expect(await partitions.drop('log_record', dayMs)).toBe(1)
    expect(await partitions.drop('trace', dayMs)).toBe(1)
    const logs = new PostgresLogs(shared.pool)
    expect((await logs.logs(ALL)).map(({ body }) => body)).toEqual(['reconciled 4', 'reconciled 3', 'reconciled 2'])
    expect((await logs.logs({ ...ALL, limit: 1, contains: 'ED 3' })).map(({ body }) => body)).toEqual(['reconciled 3'])
    // The shipper has noted that the partition is there: it makes it again.
    await collector.commit(({ logs: sink }) => {
      sink.putLogs([record(5, { timeNs: ns(dayMs) - 2n })])
    })
    await collector.ship(LATE_MS)
    expect(await logs.logs(ALL)).toHaveLength(4)
  })

  test('retention drops partitions, and objects as SQLite does', async () => {
    const shared = await openShared(await postgres.options())
    const [one, other] = [new Collector(shared), new Collector(shared)]
    // Seen until now; ended, with a later state before the edge; gone.
    const objects = [at(0, 1, 0), at(0, 2, 1), at(0, 3, 2), at(0, 4, 30), at(0, 9, 3, '02')]
    await one.commit(({ observations, logs, spans }) => {
      observations.putObjects(objects)
      logs.putLogs([record(1)])
      spans.putSpans([span({ name: 'olm.csv.pending', cluster: 'cluster-0' })], NOW_MS)
    })
    // Another collector sees one of the old states again.
    await other.commit(({ observations }) => {
      observations.putObjects([{ ...at(0, 2, 1), resourceVersion: '8', observedMs: NOW_MS + 29 * DAY_MS }])
    })
    await one.ship(LATE_MS)
    await other.ship(LATE_MS)
    const nowMs = NOW_MS + 40 * DAY_MS
    const days = {
      ...{ retentionTracesMs: 5 * DAY_MS, retentionLogsMs: 5 * DAY_MS, retentionObjectsMs: 20 * DAY_MS },
      clusterObjectStatesMax: 1000,
    }
    const retention = new PostgresRetention(shared.pool, days)
    const { position } = await shared.newReader().changedSince(0)
    expect(await retention.run(nowMs)).toBe(false)
    const whole = new Collector(shared)
    await whole.commit(({ observations }) => {
      observations.putObjects([...objects, { ...at(0, 2, 1), resourceVersion: '8', observedMs: NOW_MS + 29 * DAY_MS }])
    })
    while (whole.store.writer.observations.removeSome(nowMs - days.retentionObjectsMs)) continue
    const read = await shared.newReader().read('cluster-0')
    expect(read.objects).toEqual((await whole.reader.read('cluster-0')).objects)
    expect(read.objects.map(({ resourceVersion }) => resourceVersion)).toEqual(['2', '4', '8'])
    expect(await shared.newReader().oldestMs('cluster-0')).toBe(await whole.reader.oldestMs('cluster-0'))
    expect((await shared.newReader().changedSince(position)).clusters).toEqual(['cluster-0'])
    expect(await new PostgresLogs(shared.pool).logs(ALL)).toEqual([])
    expect(await searched(new PostgresSpans(shared.pool), ALL)).toEqual([])
    expect(await shared.ask('SELECT 1 FROM upgrade_trace')).toEqual([])
    // Once a day.
    expect(await retention.run(nowMs)).toBe(false)
    const partitions = await shared.ask<{ name: string }>(
      "SELECT relname AS name FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid WHERE relkind = 'r' ORDER BY 1",
    )
    const today = Math.floor(nowMs / DAY_MS)
    expect(partitions.map(({ name }) => name)).toEqual(
      expect.arrayContaining([`trace_p${today}`, `log_record_p${today + 2}`]),
    )
  })

  test('of a cluster with too many states of objects the oldest that ended go, once a day', async () => {
    const shared = await openShared(await postgres.options())
    const collector = new Collector(shared)
    await collector.commit(({ observations }) => {
      const one = Array.from({ length: 8 }, (_, i) => at(0, i + 2, i + 2))
      observations.putObjects([at(0, 1, 0, '02'), ...one, at(1, 1, 1), at(1, 2, 2)])
    })
    await collector.ship(LATE_MS)
    const limits = { retentionTracesMs: DAY_MS, retentionLogsMs: DAY_MS, retentionObjectsMs: 400 * DAY_MS }
    const nowMs = NOW_MS + 40 * DAY_MS
    await new PostgresRetention(shared.pool, { ...limits, clusterObjectStatesMax: 6 }).run(nowMs)
    const read = await shared.newReader().read('cluster-0')
    expect(read.objects.map(({ resourceVersion }) => Number(resourceVersion)).sort((a, b) => a - b)).toEqual([
      1, 5, 6, 7, 8, 9,
    ])
    expect(await shared.newReader().oldestMs('cluster-0')).toBe(at(0, 4, 4).observedMs)
    expect((await shared.newReader().read('cluster-1')).objects).toHaveLength(2)
    // Retention by age removes what is older, and says nothing else of the past.
    const older = { ...limits, retentionObjectsMs: 38 * DAY_MS, clusterObjectStatesMax: 6 }
    await new PostgresRetention(shared.pool, older).run(nowMs + DAY_MS)
    expect((await shared.newReader().read('cluster-0')).objects).toHaveLength(5)
    expect(await shared.newReader().oldestMs('cluster-0')).toBe(at(0, 4, 4).observedMs)
  })

  test('an erased cluster leaves nothing in PostgreSQL, and others stay', async () => {
    const shared = await openShared(await postgres.options())
    const collector = new Collector(shared)
    const spansOf = (cluster: string, number: number) =>
      span({ traceId: traceIdOf(number), cluster, name: 'olm.csv.pending' })
    await collector.commit(({ observations, logs, spans }) => {
      observations.putObjects([source(1, 1), source(2, 1)])
      observations.putListings([
        { cluster: 'cluster-1', resource: 'catalogsources', namespace: 'olm', observedMs: NOW_MS, uids: [] },
      ])
      observations.putClaims([
        { cluster: 'cluster-1', name: 'x', kind: 'name', joins: false, isBound: false, firstMs: 1, lastMs: 2 },
      ])
      logs.putLogs([record(1), record(2)])
      spans.putSpans([spansOf('cluster-1', 1), spansOf('cluster-2', 2)], NOW_MS)
    })
    await collector.ship(LATE_MS)
    const counts = async (cluster: string) =>
      (await shippedParts(shared.pool, [cluster]))
        .filter(({ count }) => count > 0)
        .map(({ what, count }) => `${what} ${count}`)
    expect(await counts('cluster-1')).toEqual(['objects 1', 'log_records 1', 'traces 1', 'claims 1'])
    expect(await eraseObservations(shared.pool, ['cluster-1'])).toBeGreaterThan(0)
    expect(await counts('cluster-1')).toEqual([])
    expect(await eraseObservations(shared.pool, ['cluster-1'])).toBe(0)
    expect(await counts('cluster-2')).toEqual(['objects 1', 'log_records 1', 'traces 1'])
    expect((await shared.newReader().read('cluster-1')).objects).toEqual([])
  })
})
