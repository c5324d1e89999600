import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Value } from 'typebox/value'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { PlanAnswer } from '../../../src/contract/fleet-plans.ts'
import { createFacts } from '../../../src/store/facts/facts.ts'
import { openDatabase } from '../../../src/store/database.ts'
import { ConnectionLock } from '../../../src/store/connection-lock.ts'
import type { ClusterFacts } from '../../../src/model/fleet-facts.ts'
import { fleetFactsOver } from '../../support/fleet-facts.ts'
import { putFacts } from '../../support/put-facts.ts'
import { upgradeRecord } from '../../support/upgrade-record.ts'
import { community, openshift } from '../../fleet/plan/clusters.ts'
import { makeServer, NOW_MS, type TestServer } from '../test-server.ts'

const HOUR_MS = 3_600_000
const SEEN = { firstSeenMs: NOW_MS - 900 * HOUR_MS, lastSeenMs: NOW_MS - 60_000 }
const REPORTS = {
  ...{ objects: true, metrics: true, spans: false, kinds: [] },
  ...{ objectsLastMs: NOW_MS - 60_000, metricsLastMs: NOW_MS - 60_000 },
}

/** Nine clusters that upgraded in 10 to 18 minutes, so that the path is measured. */
const MEASURED: readonly ClusterFacts[] = Array.from({ length: 9 }, (_, i) => {
  const cluster = `done-${i}`
  const startedMs = NOW_MS - 100 * HOUR_MS
  return {
    cluster: { ...community('1.17.3', { ...SEEN, coverage: REPORTS }), cluster },
    ...{ intervals: [], modifications: [] },
    upgrades: [
      upgradeRecord(
        {
          ...{ id: `u-${i}`, cluster, from: '1.16.0', to: '1.17.3', startedMs, nodes: 4 },
          endedMs: startedMs + (10 + i) * 60_000,
        },
        { observedUntilMs: startedMs + (10 + i) * 60_000 },
      ),
    ],
  }
})

const factsOf = (cluster: ClusterFacts['cluster']): ClusterFacts => {
  return { cluster, intervals: [], modifications: [], upgrades: [] }
}

const FLEET: readonly ClusterFacts[] = [
  ...MEASURED,
  ...['old-a', 'old-b', 'old-c'].map((cluster) =>
    factsOf({ ...community('1.16.0', { ...SEEN, coverage: REPORTS, region: 'eu' }), cluster }),
  ),
  factsOf({ ...openshift({ ...SEEN, coverage: REPORTS, region: "eu'$(id)" }), cluster: "o'connor" }),
]

let server: TestServer
let close: () => Promise<void>

beforeAll(async () => {
  const dir = mkdtempSync(join(tmpdir(), 'daytwo-plans-'))
  const database = openDatabase(dir)
  const store = createFacts(database, new ConnectionLock()).fleet
  await putFacts(store, FLEET)
  server = await makeServer({ fleet: (await fleetFactsOver(store)).fleet })
  close = async () => {
    await server.app.close()
    database.close()
    rmSync(dir, { recursive: true })
  }
})
afterAll(() => close())

async function plan(payload: object): Promise<PlanAnswer> {
  const answer = await server.app.inject({ method: 'POST', url: '/api/fleet/v1/plans', payload })
  expect([answer.statusCode, answer.body.slice(0, 300)]).toEqual([200, answer.body.slice(0, 300)])
  const body = answer.json<PlanAnswer>()
  expect([...Value.Errors(PlanAnswer, body)].map(({ instancePath, message }) => `${instancePath} ${message}`)).toEqual(
    [],
  )
  return body
}

async function refusal(payload: object): Promise<string> {
  const answer = await server.app.inject({ method: 'POST', url: '/api/fleet/v1/plans', payload })
  return `${answer.statusCode} ${answer.json<{ error: string }>().error}`
}

describe('a plan', () => {
  test('has the clusters of the selector, their steps with measured windows, and the schedule', async () => {
    const start = new Date(NOW_MS + HOUR_MS).toISOString()
    const answer = await plan({ target: '1.17', selector: { version: ['1.16'] }, clustersAtOnce: 2, start })
    expect(answer).toMatchObject({ target: '1.17', selected: 3, blocked: 0, export: null })
    expect(answer.outcomes).toMatchObject({ path: 3, at_target: 0 })
    expect(answer.clusters.map(({ cluster }) => cluster)).toEqual(['old-a', 'old-b', 'old-c'])
    const { steps, total } = answer.clusters[0]!
    expect(steps.map(({ kind }) => kind)).toEqual(['upgrade_hco', 'update_vms'])
    expect(steps[0]!.window).toEqual({
      ...{ source: 'upgrades', learnedFrom: 'edge', runs: 9, censored: 0, p50Seconds: 840, p90Seconds: 1080 },
      basis: '9 upgrades from 1.16.0 to 1.17.3 on clusters of 4 to 10 nodes.',
    })
    expect(steps[1]!.window).toMatchObject({
      ...{ source: 'assumed', learnedFrom: null },
      basis: '12 VMs in 3 rounds of 5 migrations, memory of VMs not known; assumed: 1 to 2 minutes per migration.',
    })
    expect(total.p50Seconds).toBeGreaterThan(840 + 150)
    expect(total.p90Seconds).toBeLessThan(steps[0]!.window.p90Seconds! + steps[1]!.window.p90Seconds!)
    expect(answer.schedule).toMatchObject({ clustersAtOnce: 2, windows: [], timeZone: 'UTC', startAt: start })
    expect(answer.schedule.waves.map(({ clusters }) => clusters)).toEqual([['old-a', 'old-b'], ['old-c']])
    expect(answer.schedule.endP90At! > answer.schedule.endP50At!).toBe(true)
  })

  test('the same request has the same answer', async () => {
    const request = { target: '1.17', windows: ['daily 01:00-03:00'], timeZone: 'Europe/Prague' }
    expect(await plan(request)).toEqual(await plan(request))
  })

  test('of named clusters, with all outcomes counted and a limit of those shown', async () => {
    const answer = await plan({ target: '1.17', selector: { cluster: ['old-b', 'done-3'] }, limit: 1 })
    expect(answer.outcomes).toMatchObject({ path: 1, at_target: 1 })
    expect(answer.clusters.map(({ cluster }) => cluster)).toEqual(['old-b'])
    expect((await plan({ target: '1.17', selector: { cluster: ['nobody'] } })).selected).toBe(0)
  })

  test('names of a cluster are quoted in commands and in Markdown', async () => {
    const answer = await plan({ target: '4.18', selector: { cluster: ["o'connor"] }, export: 'markdown' })
    const [, save] = answer.clusters[0]!.steps
    expect(save!.commands[0]).toContain(String.raw`> 'o'\''connor-workload-update-methods.json'`)
    expect(answer.export).toMatchObject({ fileName: 'upgrade-to-4.18.md', mediaType: 'text/markdown' })
    expect(answer.export!.text).toContain(String.raw`## Cluster o\'connor`)
    expect(answer.export!.text).toContain('### 1. Pause the worker pools worker')
  })

  test('as a calendar: one event for each window that a wave needs', async () => {
    const answer = await plan({
      ...{ target: '1.17', selector: { region: 'eu' }, clustersAtOnce: 2, export: 'ics' },
      ...{ windows: ['Sat 22:00-06:00'], timeZone: 'Europe/Prague' },
    })
    const lines = answer.export!.text.split('\r\n')
    expect(answer.export).toMatchObject({ fileName: 'upgrade-to-1.17.ics', mediaType: 'text/calendar' })
    expect(lines.filter((line) => line === 'BEGIN:VEVENT')).toHaveLength(2)
    const starts = lines.filter((line) => line.startsWith('DTSTART'))
    expect(starts[0]).toBe(`DTSTART:${answer.schedule.waves[0]!.startP50At!.replace(/[-:]|\.\d+/g, '')}`)
    expect(lines.filter((line) => line.startsWith('SUMMARY'))[0]).toBe(
      'SUMMARY:Upgrade to 1.17: wave 1 of 2 (2 clusters)',
    )
  })

  test('an empty selection has no plan, and a calendar without events', async () => {
    const answer = await plan({ target: '1.17', selector: { region: 'nowhere' }, export: 'ics' })
    expect(answer).toMatchObject({ selected: 0, clusters: [], schedule: { waves: [], endP50At: null } })
    expect(answer.export!.text).not.toContain('VEVENT')
  })
})

test.each([
  [{}, '400 the body must have required properties target'],
  [{ target: 'next' }, '400 target: got "next", want a minor such as 4.18 or 1.14'],
  [{ target: '1.17', timeZone: 'Mars' }, '400 timeZone: got "Mars", want an IANA time zone'],
  [{ target: '1.17', windows: ['Sat'] }, '400 windows: got "Sat", want days and times'],
  [{ target: '1.17', start: 'soon' }, '400 start'],
  [{ target: '1.17', clustersAtOnce: 0 }, '400 clustersAtOnce must be >= 1'],
  [{ target: '1.17', selector: { colour: 'red' } }, '400 selector/colour'],
  [{ target: '1.17', selector: { cluster: Array.from({ length: 1001 }, String) } }, '400 selector/cluster'],
  [{ target: '1.17', limit: 501 }, '400 limit must be <= 500'],
])('refused: %j', async (payload, want) => {
  expect(await refusal(payload)).toContain(want)
})
