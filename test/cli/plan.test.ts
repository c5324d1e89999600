import { afterAll, beforeAll, expect, test } from 'vitest'
import { createFleetIndex } from '../../src/fleet/clusters/fleet-index.ts'
import { createFleetViews } from '../../src/fleet/fleet-views.ts'
import type { FleetFactsReader } from '../../src/model/fleet-facts.ts'
import { community, openshift } from '../fleet/plan/clusters.ts'
import { NO_ALERTS } from '../support/fleet-facts.ts'
import { makeServer, NOW_MS, type TestServer } from '../api/test-server.ts'
import { daytwo } from './run.ts'

// The real program asks the real API over HTTP.
const SEEN = { firstSeenMs: NOW_MS - 1e9, lastSeenMs: NOW_MS - 1000 }
const NONE = (): Promise<never[]> => Promise.resolve([])
const NOBODY = (): Promise<undefined> => Promise.resolve(undefined)

let server: TestServer
let url: string
beforeAll(async () => {
  const index = createFleetIndex()
  const clusters = [
    { ...community('1.16.0', SEEN), cluster: 'brno' },
    { ...openshift({ ...SEEN, workloads: { outdated: 0, nonMigratable: 2, atMs: NOW_MS } }), cluster: 'prague' },
  ]
  for (const cluster of clusters) {
    index.put({ cluster, intervals: [], upgrades: [], modifications: [] })
    index.markSeen(cluster.cluster, { metricsMs: NOW_MS - 1000, objectsMs: NOW_MS - 1000 })
  }
  const reader: FleetFactsReader = {
    ...{ clusters: NONE, cluster: NOBODY, upgrades: NONE, upgrade: NOBODY, modifications: NONE, intervalsAt: NONE },
    values: () => Promise.resolve(new Map()),
  }
  const progress = { caughtUpMs: NOW_MS, waiting: 0, daysLeft: 0 }
  server = await makeServer({ fleet: createFleetViews(reader, Promise.resolve(index), () => progress, NO_ALERTS) })
  url = await server.app.listen({ host: '127.0.0.1', port: 0 })
})
afterAll(() => server.app.close())

test('a runbook of the selection, and 0', async () => {
  const ran = await daytwo('plan', url, '--target', '1.17', '--selector', 'flavour=community&version=1.16')
  expect(ran.stdout).toMatch(/^# Upgrade to 1\\\.17\n/)
  expect(ran.stdout).toContain('## Cluster brno')
  expect(ran.stdout).not.toContain('prague')
  expect([ran.code, ran.stderr]).toEqual([0, ''])
})

test('the answer of the API as JSON; 1 because a cluster has a blocking hazard', async () => {
  const ran = await daytwo('plan', url, '--target=4.18', '--output=json', '--at-once=1', '--limit=2')
  const plan = JSON.parse(ran.stdout) as { selected: number; blocked: number; schedule: { clustersAtOnce: number } }
  expect([ran.code, plan.selected, plan.blocked, plan.schedule.clustersAtOnce]).toEqual([1, 2, 1, 1])
})

test('a calendar of the windows', async () => {
  const ran = await daytwo(
    ...['plan', url, '--target', '1.17', '--selector', '?q=brno', '--output', 'ics', '--window', 'Sat 22:00-06:00'],
    ...['--time-zone', 'Europe/Prague', '--start', '2036-01-01T00:00:00Z'],
  )
  expect(ran.stdout).toContain('BEGIN:VCALENDAR')
  expect(ran.code).toBe(0)
})

test.each([
  [['plan'], /--target: got nothing, want a version/],
  [['plan', '--target', '4.18', '--output', 'pdf'], /--output: got "pdf", want markdown, json or ics/],
  [['plan', '--target', '4.18', '--selector', 'colour=red'], /--selector: got "colour", want one of version/],
  [['plan', '--target', '4.18', '--at-once', '0'], /--at-once: got "0", want a whole number above 0/],
  [['plan', 'http://127.0.0.1:1', 'more', '--target', '4.18'], /got "more", want one server/],
])('%j is refused', async (args, want) => {
  const ran = await daytwo(...args)
  expect(ran.stderr).toMatch(want)
  expect(ran.code).not.toBe(0)
})

test('3 without a server, and with what the server refuses', async () => {
  expect(await daytwo('plan', 'http://127.0.0.1:1', '--target', '4.18')).toMatchObject({ code: 3 })
  const refused = await daytwo('plan', url, '--target', 'next')
  expect(refused.code).toBe(3)
  expect(refused.stderr).toContain('no plan: target: got "next", want a minor')
})
