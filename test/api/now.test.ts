import { Value } from 'typebox/value'
import { expect, test } from 'vitest'
import { nowView } from '../../src/api/now.ts'
import { NOW_LIST_MAX, Now } from '../../src/contract/now.ts'
import { deriveNow } from '../../src/fleet/now.ts'
import { DEFAULT_FLEET_OPTIONS } from '../../src/fleet/options.ts'
import { csvSucceeded, fleetOf, up } from '../fleet/fleet-script.ts'
import { NOW_MS, makeServer } from './test-server.ts'

test('the landing page is one answer, as the contract says', async () => {
  const { reader } = fleetOf([
    up('a', [120]),
    csvSucceeded('a', '1.16.0', 0, [90]),
    csvSucceeded('a', '1.17.0', 0, [90]),
    up('gone', [120, 45]),
  ])
  const { app } = await makeServer({
    fleet: {
      now: (nowMs) => deriveNow(reader, [], nowMs, DEFAULT_FLEET_OPTIONS),
      inventory: () => Promise.resolve(undefined),
    },
  })
  const answer = await app.inject('/api/fleet/v1/now')
  expect(answer.statusCode).toBe(200)
  expect([...Value.Errors(Now, answer.json())]).toEqual([])
  expect(answer.json()).toMatchObject({
    asOfMs: NOW_MS,
    clusters: { total: 2, reporting: 1, silentAfterMs: 600_000, unknown: 0 },
    stuck: { count: 1, items: [{ cluster: 'a', to: '1.17.0', isStuck: true, cause: 'CSV 1.17.0 is not Succeeded.' }] },
    upgrading: { count: 1 },
    firing: { critical: 0, warning: 0, info: 0, none: 0, pending: 0, groups: [] },
    silent: { count: 1, items: [{ cluster: 'gone' }] },
    versions: [{ version: '1.16.0', clusters: 1 }],
  })
  await app.close()
})

test('counts are exact where lists are cut', () => {
  const upgrade = {
    from: undefined,
    to: '1.17.0',
    phase: 'olm' as const,
    detail: '',
    startedAtMs: 0,
    lastChangeMs: 0,
    isStuck: true,
    cause: 'why',
    resolutionSeconds: 60,
  }
  const many = Array.from({ length: NOW_LIST_MAX + 5 }, (_, i) => String(i))
  const view = nowView({
    asOfMs: NOW_MS,
    clusters: { total: 1, reporting: 1, silentAfterMs: 1, unknown: 0 },
    stuckSentence: '',
    upgrades: many.map((cluster) => ({ ...upgrade, cluster })),
    firing: { counts: { critical: 0, warning: 0, info: 0, none: 0 }, pending: 0, groups: [] },
    silent: many.map((cluster) => ({ cluster, lastSeenMs: 0, version: undefined })),
    versions: [],
  })
  for (const list of [view.stuck, view.upgrading, view.silent]) {
    expect([list.count, list.items.length]).toEqual([NOW_LIST_MAX + 5, NOW_LIST_MAX])
  }
})
