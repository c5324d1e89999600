import { beforeEach, describe, expect, test } from 'vitest'
import type { AuditedAction } from '../../../src/model/audit.ts'
import type { AcceptedRisk } from '../../../src/model/readiness.ts'
import { Labels } from '../../../src/model/labels.ts'
import { ACCEPTED_MAX, createAcceptances, type AcceptanceStore } from '../../../src/fleet/readiness/acceptances.ts'
import { createRiskAlertFeed, riskAlertsOf } from '../../../src/fleet/readiness/risk-alerts.ts'
import type { RiskAlert } from '../../../src/model/readiness.ts'

const DAY_MS = 86_400_000
const NOW = 1_787_220_000_000

/** In place of the database: what a write is given. */
let stored: readonly AcceptedRisk[]
let audited: readonly AuditedAction[]
let failure: Error | undefined
let changes: number
const store: AcceptanceStore = {
  list: () => Promise.resolve(stored),
  find: (id) => Promise.resolve(stored.filter((one) => one.id === id)),
  write: (changes) => {
    if (failure !== undefined) return Promise.reject(failure)
    const changed = changes.map(({ value }) => value)
    stored = [
      ...stored.filter((one) => !changed.some((other) => other.id === one.id && other.cluster === one.cluster)),
      ...changed,
    ]
    audited = [...audited, ...changes.map((change) => change.audited)]
    return Promise.resolve([])
  },
}
let ids = 0
const create = () =>
  createAcceptances(
    store,
    () => `r${++ids}`,
    () => {
      changes++
      return Promise.resolve()
    },
  )

beforeEach(() => {
  stored = []
  audited = []
  failure = undefined
  changes = 0
  ids = 0
})

const wish = (clusters: readonly string[], more = {}) => {
  return { hazard: 'nodes' as const, clusters, reason: 'why', expiresMs: NOW + DAY_MS, ...more }
}

describe('acceptances', () => {
  test('one id for all clusters; the same hazard again replaces, another hazard does not', async () => {
    const acceptances = await create()
    expect(await acceptances.accept(wish(['a', 'b']), 'ada', NOW)).toMatchObject([
      { id: 'r1' },
      { id: 'r1', cluster: 'b' },
    ])
    await acceptances.accept(wish(['b', 'c']), 'bo', NOW + 1)
    await acceptances.accept(wish(['b'], { hazard: 'json_patch' }), 'bo', NOW + 2)
    const text = acceptances
      .all()
      .map(({ id, cluster, withdrawn }) => `${id} ${cluster}${withdrawn === undefined ? '' : ' withdrawn'}`)
    expect(text).toEqual(['r1 a', 'r1 b withdrawn', 'r2 b', 'r2 c', 'r3 b'])
    expect(audited.map(({ action, subject, by }) => `${action} ${subject} ${by}`)).toEqual([
      ...['risk.accept a ada', 'risk.accept b ada'],
      ...['risk.withdraw b bo', 'risk.accept b bo', 'risk.accept c bo', 'risk.accept b bo'],
    ])
    expect(changes).toBe(3)
  })

  test('withdraws all clusters of an acceptance or some, once; an unknown id is nothing', async () => {
    const acceptances = await create()
    await acceptances.accept(wish(['a', 'b']), 'ada', NOW)
    const some = await acceptances.withdraw('r1', 'bo', NOW + 1, (cluster) => cluster === 'a')
    expect(some).toMatchObject([{ cluster: 'a', withdrawn: { by: 'bo', atMs: NOW + 1 } }])
    await acceptances.withdraw('r1', 'cy', NOW + 2)
    expect(acceptances.all().map(({ cluster, withdrawn }) => `${cluster} ${withdrawn?.by}`)).toEqual(['a bo', 'b cy'])
    const written = changes
    expect(await acceptances.withdraw('r1', 'dan', NOW + 3)).toHaveLength(2)
    expect(await acceptances.withdraw('none', 'dan', NOW + 3)).toEqual([])
    expect(changes).toBe(written)
  })

  test('what could not be stored has no effect', async () => {
    const acceptances = await create()
    failure = new Error('disk full')
    await expect(acceptances.accept(wish(['a']), 'ada', NOW)).rejects.toThrow('disk full')
    expect([acceptances.all(), changes]).toEqual([[], 0])
  })

  test('there is a limit of those in effect; expired ones do not count', async () => {
    const clusters = Array.from({ length: ACCEPTED_MAX }, (_, i) => `c${i}`)
    const acceptances = await create()
    await acceptances.accept(wish(clusters), 'ada', NOW)
    await expect(acceptances.accept(wish(['one more']), 'ada', NOW)).rejects.toThrow(`want at most ${ACCEPTED_MAX}`)
    await acceptances.accept(wish(['one more']), 'ada', NOW + DAY_MS)
    // A quarter later the ended ones are forgotten here.
    await acceptances.accept(wish(['x'], { expiresMs: NOW + 200 * DAY_MS }), 'ada', NOW + 100 * DAY_MS)
    expect(acceptances.all().map(({ cluster }) => cluster)).toEqual(['x'])
  })

  test('takes over what another process stored', async () => {
    const acceptances = await create()
    await acceptances.accept(wish(['a']), 'ada', NOW)
    stored = []
    await acceptances.reread()
    expect(acceptances.all()).toEqual([])
  })
})

describe('alerts that are risks', () => {
  const alert = (
    alertname: string,
    more: Readonly<Record<string, string>> = {},
    state: 'firing' | 'pending' = 'firing',
    firedAtMs = NOW,
  ) => {
    return {
      labels: Labels.of({ alertname, cluster: 'a', severity: 'warning', ...more }),
      state,
      activeAtMs: NOW - 1,
      firedAtMs,
    }
  }

  test.each([
    ['critical', alert('Any', { severity: 'critical' }), true],
    ['a warning', alert('Any'), false],
    ['labelled for updates', alert('Any', { openShiftUpdatePrecheck: 'true' }), true],
    ['counted by name', alert('PodDisruptionBudgetAtLimit', { severity: 'info' }), true],
    ['pending', alert('Any', { severity: 'critical' }, 'pending'), false],
    ['of no cluster', alert('Any', { severity: 'critical', cluster: '' }), false],
    ['about this server', alert('Any', { severity: 'critical', kubernetes_operator_part_of: 'daytwo' }), false],
  ])('%s: %#', (_, one, isRisk) => {
    expect(riskAlertsOf([one])).toHaveLength(Number(isRisk))
  })

  test('of one name the first that fired, in the order of clusters', () => {
    const all = [
      alert('VMCannotBeEvicted', { cluster: 'b' }),
      alert('VMCannotBeEvicted', { vm: 'x' }, 'firing', NOW + 5),
      alert('VMCannotBeEvicted', { vm: 'y' }),
    ]
    expect(riskAlertsOf(all).map(({ cluster, firedAtMs }) => [cluster, firedAtMs])).toEqual([
      ['a', NOW],
      ['b', NOW],
    ])
  })

  test('are passed on when they change, and once a minute', async () => {
    const passed: (readonly RiskAlert[])[] = []
    let firing = [alert('VMCannotBeEvicted')]
    const feed = createRiskAlertFeed(
      () => firing,
      (risks) => {
        passed.push(risks)
        return Promise.resolve()
      },
    )
    const counts: number[] = []
    for (const seconds of [0, 5, 10, 20, 69, 70, 79]) {
      if (seconds === 69) firing = firing.slice()
      await feed(NOW + seconds * 1000)
      counts.push(passed.length)
    }
    expect(counts).toEqual([1, 1, 1, 1, 2, 2, 2])
    firing = []
    await feed(NOW + 90_000)
    expect(passed.at(-1)).toEqual([])
  })
})
