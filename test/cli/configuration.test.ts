import Database from 'better-sqlite3'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { DifferencesAnswer } from '../../src/contract/fleet-configuration.ts'
import type { ValueInterval } from '../../src/model/cluster-value.ts'
import type { ClusterSettings } from '../../src/model/cluster-record.ts'
import { ConnectionLock } from '../../src/store/connection-lock.ts'
import { createFacts } from '../../src/store/facts/facts.ts'
import { migrate } from '../../src/store/migrations.ts'
import { makeServer, NOW_MS, type TestServer } from '../api/test-server.ts'
import { emptyRecord } from '../support/cluster-record.ts'
import { FakeClock } from '../support/fake-clock.ts'
import { fleetFactsOver } from '../support/fleet-facts.ts'
import { putFacts } from '../support/put-facts.ts'
import { daytwo } from './run.ts'

const cluster = (name: string, settings: Partial<ClusterSettings>) =>
  emptyRecord(name, {
    ...{ hcoVersion: '1.17.0', lastSeenMs: NOW_MS, firstSeenMs: NOW_MS - 9 * 3_600_000 },
    settings: { apiVersion: 'hco.kubevirt.io/v1', liveMigration: {}, featureGates: {}, ...settings },
  })
const FLEET = [
  ...['prague', 'brno', 'zlin'].map((name) => cluster(name, {})),
  cluster('olomouc', {
    liveMigration: { progressTimeout: 300 },
    written: { 'liveMigration.progressTimeout': { sinceMs: NOW_MS, by: 'kubectl-edit' } },
  }),
  emptyRecord('silent', { lastSeenMs: NOW_MS, firstSeenMs: NOW_MS - 9 * 3_600_000 }),
]

const HOUR_MS = 3_600_000
const VERSION = {
  ...{ operator: 'kubevirt-hyperconverged', version: '1.17.0', fromMs: NOW_MS - 9 * HOUR_MS },
  ...{ isStartKnown: true, resolutionSeconds: 1 },
}

/** olomouc changed its timeout an hour ago. */
function valuesOf(cluster: string): readonly ValueInterval[] {
  const api = { key: 'settings/apiVersion', fromMs: NOW_MS - 9 * HOUR_MS, value: 'hco.kubevirt.io/v1' }
  const key = 'settings/liveMigration/progressTimeout'
  return cluster === 'olomouc' ? [api, { key, fromMs: NOW_MS - HOUR_MS, value: 300 }] : [api]
}

let server: TestServer
let url: string
beforeAll(async () => {
  const database = new Database(':memory:')
  migrate(database, ':memory:')
  const { fleet } = createFacts(database, new ConnectionLock())
  await putFacts(
    fleet,
    FLEET.map((record) => ({
      ...{ cluster: record, upgrades: [], modifications: [] },
      intervals: [{ ...VERSION, cluster: record.cluster }],
      values: record.settings.apiVersion === undefined ? [] : valuesOf(record.cluster),
    })),
  )
  const over = await fleetFactsOver(fleet, Infinity)
  server = await makeServer({ clock: new FakeClock(NOW_MS), fleet: over.fleet })
  url = await server.app.listen({ host: '127.0.0.1', port: 0 })
})
afterAll(async () => {
  await server.app.close()
})

const diff = (...args: readonly string[]) => daytwo('configuration', 'diff', ...args, '--url', url)

test('ends with 1 and the differences, with 0 without any', async () => {
  const different = await diff('olomouc', '--baseline', 'prague')
  expect([different.code, different.stderr]).toEqual([1, ''])
  expect(different.stdout).toContain('olomouc: 1 of ')
  expect(different.stdout).toMatch(/^liveMigration\.progressTimeout +300 +150 \(default\) +20\d\d-.* +kubectl-edit$/m)
  expect(await diff('brno')).toMatchObject({ code: 0 })
  const json = await diff('olomouc', '--format', 'json')
  expect((JSON.parse(json.stdout) as DifferencesAnswer).against).toBe('majority')
})

test('ends with 3 where it is not known, with 2 for wrong usage', async () => {
  expect(await diff('silent')).toMatchObject({ code: 3 })
  expect(await diff('nobody')).toMatchObject({ code: 3 })
  expect(await diff()).toMatchObject({ code: 2 })
  expect(await diff('brno', '--format', 'xml')).toMatchObject({ code: 2 })
  expect(await daytwo('configuration', 'show')).toMatchObject({ code: 2 })
})

const timeOf = (ms: number): string => new Date(ms).toISOString()
const replay = (...args: readonly string[]) =>
  daytwo('configuration', 'replay', ...args, '--to', timeOf(NOW_MS), '--url', url)

test('replays another baseline: ends with 1 when a cluster would have differed from it alone', async () => {
  const ran = await replay('--baseline', 'prague', '--from', timeOf(NOW_MS - 2 * HOUR_MS))
  expect([ran.code, ran.stderr]).toEqual([1, ''])
  expect(ran.stdout).toContain('4 of 5 clusters compared')
  expect(ran.stdout).toContain('differ from prague: 1 of 4 clusters, 1h')
  expect(ran.stdout).toMatch(/^olomouc .*liveMigration\.progressTimeout +-$/m)
  const before = timeOf(NOW_MS - 3 * HOUR_MS)
  const same = await daytwo(
    ...['configuration', 'replay', '--baseline', 'prague', '--from', before],
    ...['--to', timeOf(NOW_MS - 2 * HOUR_MS), '--format', 'json', '--url', url],
  )
  expect(same.code).toBe(0)
  expect(JSON.parse(same.stdout)).toMatchObject({ proposed: 'prague', compared: 4, clusters: [] })
})

test('a replay ends with 3 where it is not known, with 2 for wrong usage', async () => {
  expect(await replay('--baseline', 'nobody', '--from', timeOf(NOW_MS - HOUR_MS))).toMatchObject({ code: 3 })
  expect(await replay()).toMatchObject({ code: 2 })
  expect(await replay('--baseline', 'prague', '--format', 'xml')).toMatchObject({ code: 2 })
  expect(await replay('prague', '--baseline', 'brno')).toMatchObject({ code: 2 })
})
