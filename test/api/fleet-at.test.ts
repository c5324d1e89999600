import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { AlertItems } from '../../src/contract/alerts.ts'
import type { ClusterDetail, ClusterItems } from '../../src/contract/fleet-clusters.ts'
import type { ModificationItems } from '../../src/contract/fleet-modifications.ts'
import type { StuckItems, UpgradeDetailItem, UpgradeItem, UpgradeItems } from '../../src/contract/fleet-upgrades.ts'
import type { Now } from '../../src/contract/now.ts'
import type { Modification } from '../../src/model/cluster-record.ts'
import { openDatabase } from '../../src/store/database.ts'
import { createFacts } from '../../src/store/facts/facts.ts'
import { ConnectionLock } from '../../src/store/connection-lock.ts'
import { MINUTE_MS, phase, recordOf, T0 } from '../fleet/edge-script.ts'
import { emptyRecord } from '../support/cluster-record.ts'
import { FakeClock } from '../support/fake-clock.ts'
import { fleetFactsOver } from '../support/fleet-facts.ts'
import { memoryPeople } from '../support/people.ts'
import { ruleAlert } from './rule-alert.ts'
import { makeServer, NOW_MS, type TestServer } from './test-server.ts'
import { putFacts } from '../support/put-facts.ts'

/** The moment of `edge-script`'s times at which the server stands. */
const SHIFT = (NOW_MS - T0) / MINUTE_MS
const at = (minutes: number): string => new Date(NOW_MS + minutes * MINUTE_MS).toISOString()

const dir = mkdtempSync(join(tmpdir(), 'daytwo-at-'))
const database = openDatabase(dir)
let server: TestServer

beforeAll(async () => {
  const store = createFacts(database, new ConnectionLock()).fleet
  const [from, to] = [NOW_MS - 100 * MINUTE_MS, NOW_MS - 40 * MINUTE_MS]
  const version = { cluster: 'a', operator: 'kubevirt-hyperconverged', isStartKnown: true, resolutionSeconds: 1 }
  const record = emptyRecord('a', {
    ...{ hcoVersion: '1.17.0', isTainted: true, firstSeenMs: NOW_MS - 300 * MINUTE_MS, lastSeenMs: NOW_MS },
    coverage: { objects: true, metrics: false, spans: false, objectsLastMs: NOW_MS, kinds: [] },
    nodes: { count: 3, ready: 3, kubeletVersions: [] },
  })
  const upgrade = recordOf({
    ...{ cluster: 'a', id: 'u', startMinute: SHIFT - 100, endMinute: SHIFT - 40, seenMinute: SHIFT },
    phases: [phase('olm', SHIFT - 100, SHIFT - 60), phase('operands', SHIFT - 60, SHIFT - 40)],
  })
  const patch: Modification = {
    ...{ id: 'm', cluster: 'a', kind: 'jsonpatch', component: 'kubevirt', count: 1, text: 'patched' },
    ...{ startedMs: from, endedMs: to, isUpgradeMode: false, resolutionSeconds: 1 },
  }
  const facts = {
    cluster: record,
    intervals: [
      { ...version, version: '1.16.0', fromMs: NOW_MS - 300 * MINUTE_MS, untilMs: to },
      { ...version, version: '1.17.0', fromMs: to },
    ],
    upgrades: [upgrade],
    modifications: [patch],
  }
  await putFacts(store, [facts])
  const clock = new FakeClock(NOW_MS)
  const alerts = [ruleAlert('A', 'a', 'firing', { firedAtMs: NOW_MS - 30 * MINUTE_MS })]
  const { people } = await memoryPeople({ clock, ruleAlerts: () => alerts })
  await people.cycle(NOW_MS)
  server = await makeServer({ clock, people, fleet: (await fleetFactsOver(store)).fleet })
})
afterAll(async () => {
  await server.app.close()
  database.close()
  rmSync(dir, { recursive: true })
})

/** Every answer of a test's server is held against the contract. */
async function ask<T>(path: string, minutes?: number): Promise<T> {
  const moment = minutes === undefined ? '' : `${path.includes('?') ? '&' : '?'}at=${encodeURIComponent(at(minutes))}`
  const answer = await server.app.inject(`/api/fleet/v1/${path}${moment}`)
  expect([answer.statusCode, answer.statusCode === 200 ? '' : answer.body]).toEqual([200, ''])
  return answer.json<T>()
}

async function refusal(path: string): Promise<string> {
  const answer = await server.app.inject(`/api/fleet/v1/${path}`)
  return `${answer.statusCode} ${answer.json<{ error: string }>().error}`
}

test('the landing page is of the moment, and says what that does not tell', async () => {
  const then = await ask<Now>('now', -50)
  expect(then).toMatchObject({
    asOf: at(-50),
    past: { knownFrom: at(-300) },
    clusters: { total: 1 },
    upgrading: { count: 1, items: [{ id: 'u', phase: 'operands', phaseSince: at(-60) }] },
    versions: { items: [{ version: '1.16.0', clusters: 1 }] },
    firing: { critical: 0, warning: 0, info: 0, none: 0, groups: [] },
  })
  expect(then.past!.unavailable).toContain('clusters.silent')
  // The former name is served until the next release.
  expect(then.past!.untold).toEqual(then.past!.unavailable)
  expect((await ask<Now>('now')).past).toBeUndefined()
  expect((await ask<Now>('now', -20)).firing.groups).toMatchObject([{ alertname: 'A', alerts: 1 }])
})

test('before anything was known the answer is empty and says since when something is', async () => {
  expect(await ask<Now>('now', -400)).toMatchObject({ clusters: { total: 0 }, past: { knownFrom: at(-300) } })
  expect(await ask<ClusterItems>('clusters', -400)).toMatchObject({ total: 0, clusters: [] })
  expect(await refusal(`clusters/a?at=${at(-400)}`)).toBe(`404 no cluster was, at ${at(-400)}, called "a"`)
})

test('a cluster has the version that ran, and nulls where only the present is kept', async () => {
  const detail = await ask<ClusterDetail>('clusters/a', -50)
  expect(detail).toMatchObject({
    ...{ asOf: at(-50), version: '1.16.0', tainted: null, nodes: null, lastSeenAt: at(-50), upgradeCount: 1 },
    states: ['upgrading'],
    intervals: [{ version: '1.16.0', until: null }],
    open: [{ upgrade: { id: 'u', state: 'in_progress' } }],
    modifications: [{ id: 'm', endedAt: null }],
  })
  expect(detail.past!.unavailable).toContain('readiness.unknown')
  expect(detail.past!.unavailable).not.toContain('conditions')
  expect(await ask<ClusterDetail>('clusters/a', 0)).toMatchObject({ ...{ version: '1.17.0', tainted: true } })
})

test('an upgrade is as it stood, alone, in the list and among the stuck', async () => {
  expect(await ask<UpgradeItem>('upgrades/u', -50)).toMatchObject({ state: 'in_progress', endedAt: null })
  expect(await ask<UpgradeDetailItem>('upgrades/u/detail', -50)).toMatchObject({
    ...{ asOf: at(-50), observedUntil: at(-50) },
    verdict: { phase: 'operands', stuck: false },
  })
  expect(await refusal(`upgrades/u?at=${at(-101)}`)).toBe(
    `404 no upgrade has the id "u" and had started at ${at(-101)}`,
  )
  const listed = async (minutes: number): Promise<readonly string[]> =>
    (await ask<UpgradeItems>('upgrades?state=in_progress', minutes)).upgrades.map(({ id }) => id)
  expect([await listed(-101), await listed(-50), await listed(-40)]).toEqual([[], ['u'], []])
  expect(await ask<StuckItems>('stuck', -61)).toMatchObject({ open: 1, stuck: [{ upgrade: { id: 'u' } }] })
})

test('edges and modifications are those of the moment', async () => {
  expect(await ask('edges', -50)).toMatchObject({ edges: [{ attempts: 1, outcomes: { inProgress: 1, succeeded: 0 } }] })
  expect(await ask('edges', -101)).toMatchObject({ edges: [] })
  const open = async (minutes: number): Promise<number> =>
    (await ask<ModificationItems>('modifications?open=true', minutes)).modifications.length
  expect([await open(-101), await open(-50), await open(-40)]).toEqual([0, 1, 0])
})

test('alerts are those that fired then', async () => {
  const alerts = async (minutes: number): Promise<readonly string[]> =>
    (await ask<AlertItems>('alerts', minutes)).alerts.map(({ alertname, state }) => `${alertname} ${state}`)
  expect([await alerts(-31), await alerts(-20)]).toEqual([[], ['A firing']])
})

describe('a moment that is none', () => {
  test.each(['now', 'clusters', 'clusters/a', 'upgrades', 'upgrades/u', 'stuck', 'edges', 'modifications', 'alerts'])(
    '%s',
    async (path) => {
      const future = at(1)
      expect(await refusal(`${path}?at=${future}`)).toMatch(/^400 .*want a time in the past/)
      expect(await refusal(`${path}?at=yesterday`)).toMatch(/^400 .*want a time such as/)
    },
  )
})
