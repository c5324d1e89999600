import Database from 'better-sqlite3'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { DifferencesAnswer } from '../../src/contract/fleet-configuration.ts'
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
    ...{ hcoVersion: '1.17.0', lastSeenMs: NOW_MS, firstSeenMs: NOW_MS },
    settings: { apiVersion: 'hco.kubevirt.io/v1', liveMigration: {}, featureGates: {}, ...settings },
  })
const FLEET = [
  ...['prague', 'brno', 'zlin'].map((name) => cluster(name, {})),
  cluster('olomouc', {
    liveMigration: { progressTimeout: 300 },
    written: { 'liveMigration.progressTimeout': { sinceMs: NOW_MS, by: 'kubectl-edit' } },
  }),
  emptyRecord('silent', { lastSeenMs: NOW_MS, firstSeenMs: NOW_MS }),
]

let server: TestServer
let url: string
beforeAll(async () => {
  const database = new Database(':memory:')
  migrate(database, ':memory:')
  const { fleet } = createFacts(database, new ConnectionLock())
  await putFacts(
    fleet,
    FLEET.map((record) => ({ cluster: record, intervals: [], upgrades: [], modifications: [] })),
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
