import { expect, test } from 'vitest'
import type { Now } from '../../../src/contract/now.ts'
import { createFleetIndex } from '../../../src/fleet/clusters/fleet-index.ts'
import { fleetNow } from '../../../src/fleet/now/now.ts'
import { MINUTE_MS, phase, recordOf, T0 } from '../../fleet/edge-script.ts'
import { emptyRecord } from '../../support/cluster-record.ts'
import { emptyFleet } from '../../support/fleet-facts.ts'
import { makeServer, NOW_MS } from '../test-server.ts'

/** The moment of `edge-script`'s times at which the server stands. */
const SHIFT = (NOW_MS - T0) / MINUTE_MS
const at = (minutes: number): string => new Date(NOW_MS + minutes * MINUTE_MS).toISOString()

test('the landing page is one answer, in the words and times of the contract', async () => {
  const index = createFleetIndex()
  index.put({
    cluster: emptyRecord('a', {
      hcoVersion: '1.16.0',
      coverage: { objects: true, metrics: false, spans: false, objectsLastMs: NOW_MS, kinds: [] },
    }),
    intervals: [],
    upgrades: [
      recordOf({
        cluster: 'a',
        id: 'a1',
        startMinute: SHIFT - 60,
        seenMinute: SHIFT,
        phases: [phase('olm', SHIFT - 60)],
        blockedBy: { cause: 'requirements_not_met', text: 'A CRD is missing.', evidence: [] },
      }),
    ],
    modifications: [],
  })
  index.put({
    cluster: emptyRecord('gone', { lastSeenMs: NOW_MS - 75 * MINUTE_MS }),
    intervals: [],
    upgrades: [],
    modifications: [],
  })
  index.markSeen('gone', { objectsMs: NOW_MS - 75 * MINUTE_MS })
  let asked = 0
  const { app } = await makeServer({
    fleet: (moment) => ({
      ...emptyFleet()(moment),
      now: (listMax) => {
        asked++
        return Promise.resolve({
          ...fleetNow(index, moment.nowMs, listMax),
          derivation: { caughtUpMs: NOW_MS - 2000, waiting: 3, daysLeft: 40 },
        })
      },
    }),
  })
  // Every answer of a test's server is held against the contract.
  const [answer] = await Promise.all([app.inject('/api/fleet/v1/now'), app.inject('/api/fleet/v1/now')])
  expect(answer.statusCode).toBe(200)
  expect(asked).toBe(1)
  expect(answer.json<Now>()).toMatchObject({
    asOf: at(0),
    derivation: { caughtUpAt: new Date(NOW_MS - 2000).toISOString(), waiting: 3, daysToCount: 40 },
    clusters: { total: 2, reporting: 1, silent: 1, unknown: 0, silentAfterSeconds: { metrics: 600, objects: 3900 } },
    stuck: {
      count: 1,
      items: [
        {
          id: 'a1',
          cluster: 'a',
          from: '1.16.0',
          to: '1.17.0',
          phase: 'olm',
          phaseSince: at(-60),
          phaseEndsAt: null,
          stalledSince: at(-60),
          beyondSeconds: 55 * 60,
          silentSince: null,
          baseline: { learnedFrom: 'seed', thresholdSeconds: 300 },
          cause: { cause: 'requirements_not_met', text: 'A CRD is missing.' },
          nodes: null,
          machines: null,
        },
      ],
    },
    upgrading: { count: 1, byPhase: [{ phase: 'olm', count: 1, stuck: 1 }] },
    following: { count: 0, machines: 0 },
    waiting: { count: 0 },
    firing: { critical: 0, warning: 0, info: 0, none: 0, pending: 0, groups: [] },
    silent: { count: 1, items: [{ cluster: 'gone', lastSeenAt: at(-75), version: null, upgrade: null }] },
    versions: { of: 1, untold: 0, items: [{ version: '1.16.0', clusters: 1 }] },
    fallingEdges: { count: 0, items: [] },
  })
  await app.close()
})

test('a fleet of which nothing is known is an answer too', async () => {
  const { app } = await makeServer()
  const answer = await app.inject('/api/fleet/v1/now')
  expect(answer.json<Now>()).toMatchObject({
    clusters: { total: 0, reporting: 0, newestAt: null, oldestAt: null },
    versions: { of: 0, untold: 0, items: [] },
  })
  await app.close()
})

test('what the server itself cannot do is told of the present, and of no other moment', async () => {
  const found = { count: 2, kind: 'pack', message: 'does not inflate' }
  const damage = { ...found, fromMs: NOW_MS - 120_000, toMs: undefined }
  const storage = { code: 'storage_full', message: 'the disk is full', freeBytes: 1, sizeBytes: 2 } as const
  const told = { thread: 'query-worker', state: 'hung', failures: 0, cause: 'it does not answer' } as const
  const thread = { ...told, isServing: false, sinceMs: NOW_MS - 60_000 }
  const { app } = await makeServer({
    faults: () => ({
      storage: { ...storage, sinceMs: NOW_MS - 60_000 },
      damage,
      failingRules: 3,
      threads: [thread],
      metricsStore: 'it does not answer',
      postgres: { message: 'refused', unheardMs: 60_000 },
      silentProcesses: [
        { name: 'b', silentMs: 120_000, lagSamples: 5 },
        { name: 'c', silentMs: 60_000, lagSamples: undefined },
      ],
      apart: ['d'],
    }),
  })
  const faultsAt = async (search: string): Promise<Now['faults']> =>
    (await app.inject(`/api/fleet/v1/now${search}`)).json<Now>().faults
  expect(await faultsAt('')).toEqual({
    storage: { ...storage, since: at(-1) },
    damage: { ...found, from: at(-2), to: null },
    failingRules: 3,
    threads: [{ ...told, serving: false, since: at(-1), nextStart: null }],
    metricsStore: 'it does not answer',
    postgres: { since: at(-1), message: 'refused' },
    silentProcesses: [
      { name: 'b', since: at(-2), lagSamples: 5 },
      { name: 'c', since: at(-1), lagSamples: null },
    ],
    apart: ['d'],
  })
  expect(await faultsAt(`?at=${at(-5)}`)).toBe(null)
  await app.close()
})
