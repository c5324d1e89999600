import Database from 'better-sqlite3'
import { beforeEach, describe, expect, test } from 'vitest'
import { fillFleetIndex } from '../../../src/fleet/clusters/fill-fleet-index.ts'
import { createFleetIndex } from '../../../src/fleet/clusters/fleet-index.ts'
import { createFleetViews, type FleetViews } from '../../../src/fleet/fleet-views.ts'
import type { Modification } from '../../../src/model/cluster-record.ts'
import type { HazardFacts } from '../../../src/model/hazard-facts.ts'
import { Labels } from '../../../src/model/labels.ts'
import type { AcceptedRisk, HazardId } from '../../../src/model/readiness.ts'
import { parseTarget } from '../../../src/fleet/readiness/target.ts'
import { RELEASES } from '../../../src/fleet/releases.ts'
import { ConnectionLock } from '../../../src/store/connection-lock.ts'
import { createFacts } from '../../../src/store/facts/facts.ts'
import { migrate } from '../../../src/store/migrations.ts'
import { emptyRecord } from '../../support/cluster-record.ts'
import { putFacts } from '../../support/put-facts.ts'
import { MINUTE_MS, T0 } from '../edge-script.ts'

const DAY_MS = 24 * 60 * MINUTE_MS
const day = (count: number): number => T0 + count * DAY_MS
const NOW_MS = day(100)

const observed = <T>(value: T, sinceMs: number) => ({ value, sinceMs, source: 'objects' as const, ref: 'x' })
/** VMs that cannot be evicted since day 50; an OperatorGroup since day 10. */
const HAZARDS: HazardFacts = {
  operatorGroupStrategy: observed('Default', day(10)),
  nonEvictable: observed(3, day(50)),
}

const PATCH: Modification = {
  ...{ id: 'p', cluster: 'a', kind: 'jsonpatch', component: 'kubevirt', startedMs: day(20), endedMs: day(60) },
  ...{ count: 1, text: '[{"op":"add","path":"/spec/x","value":1}]', isUpgradeMode: false, resolutionSeconds: 1 },
}

const risk = (id: string, known: Partial<AcceptedRisk> = {}): AcceptedRisk => ({
  ...{ id, cluster: 'a', hazard: 'non_evictable_vms', reason: 'CHG', by: 'ada' },
  ...{ acceptedMs: day(55), expiresMs: day(90) },
  ...known,
})

const TARGET = parseTarget('1.18.0', RELEASES)!

let views: FleetViews
let accepted: readonly AcceptedRisk[]

beforeEach(async () => {
  accepted = []
  const database = new Database(':memory:')
  migrate(database, ':memory:')
  const facts = createFacts(database, new ConnectionLock())
  await putFacts(facts.fleet, [
    {
      cluster: emptyRecord('a', {
        ...{ firstSeenMs: day(0), lastSeenMs: NOW_MS, hcoVersion: '1.17.0', hazards: HAZARDS },
        coverage: {
          objects: true,
          metrics: true,
          spans: false,
          objectsLastMs: NOW_MS,
          metricsLastMs: NOW_MS,
          kinds: ['hyperconvergeds'],
        },
        workloads: { outdated: 0, atMs: NOW_MS },
      }),
      intervals: [
        {
          ...{ cluster: 'a', operator: 'kubevirt-hyperconverged', version: '1.17.0', fromMs: day(0) },
          ...{ isStartKnown: true, resolutionSeconds: 1 },
        },
      ],
      upgrades: [],
      modifications: [PATCH],
      values: [
        { key: 'isTainted', fromMs: day(0), untilMs: day(20), value: false },
        { key: 'isTainted', fromMs: day(20), untilMs: day(60), value: true },
        { key: 'isTainted', fromMs: day(60), value: false },
        { key: 'workloads', fromMs: day(30), untilMs: day(40), value: { outdated: 12, atMs: day(30) } },
      ],
    },
  ])
  const labels = Labels.of({ alertname: 'VMCannotBeEvicted', cluster: 'a', severity: 'warning' })
  await facts.alertRuns.record([
    { fingerprint: 'f', labels, annotations: {}, activeAtMs: day(70), firedAtMs: day(70), resolvedAtMs: day(71) },
  ])
  const index = await fillFleetIndex(createFleetIndex(), facts.fleet, facts.decommissions, {
    list: () => Promise.resolve(accepted),
  })
  index.markSeen('a', { metricsMs: NOW_MS, objectsMs: NOW_MS })
  const progress = { caughtUpMs: NOW_MS, waiting: 0, daysLeft: 0 }
  views = createFleetViews(facts.fleet, Promise.resolve(index), () => progress, facts.alertRuns)
  // Read when a moment is asked for.
  index.readiness.accept(accepted)
  accept = (risks) => {
    index.readiness.accept(risks)
  }
})
let accept: (risks: readonly AcceptedRisk[]) => void

async function hazardAt(id: HazardId, atDay: number) {
  const page = await views({ nowMs: NOW_MS, atMs: day(atDay) }).readiness({
    target: TARGET,
    isDescending: false,
    limit: 10,
  })
  return page.clusters[0]?.hazards.find((one) => one.id === id)
}

describe('readiness at a past moment', () => {
  test('what has been so since then counts; what changed after it is unknown', async () => {
    expect((await hazardAt('non_evictable_vms', 50))?.finding.state).toBe('present')
    expect((await hazardAt('non_evictable_vms', 49.9))?.finding.state).toBe('unknown')
    expect((await hazardAt('fail_forward', 9))?.finding.state).toBe('unknown')
  })

  test('JSON patches that were in effect then, whether or not they still are', async () => {
    const state = async (atDay: number) => (await hazardAt('json_patch', atDay))?.finding.state
    expect([await state(19), await state(20), await state(59), await state(61)]).toEqual([
      ...['absent', 'present', 'present', 'absent'],
    ])
  })

  test('alerts that fired then', async () => {
    const evidence = async (atDay: number) => {
      const finding = (await hazardAt('non_evictable_vms', atDay))?.finding
      return finding?.state === 'present' ? finding.evidence.map(({ text }) => text).join(' ') : ''
    }
    expect(await evidence(70)).toContain('VMCannotBeEvicted')
    expect(await evidence(70.5)).toContain('VMCannotBeEvicted')
    expect(await evidence(72)).not.toContain('VMCannotBeEvicted')
    expect(await evidence(69.9)).not.toContain('VMCannotBeEvicted')
  })

  test('risks that were accepted then: neither later ones nor those that had expired; a later withdrawal does not count', async () => {
    const acceptedAt = async (atDay: number) => (await hazardAt('non_evictable_vms', atDay))?.accepted?.id
    accept([risk('r')])
    expect([await acceptedAt(54), await acceptedAt(55), await acceptedAt(89), await acceptedAt(90)]).toEqual([
      ...[undefined, 'r', 'r', undefined],
    ])
    accept([risk('w', { withdrawn: { atMs: day(80), by: 'bo' } })])
    expect([await acceptedAt(79.5), await acceptedAt(80.5)]).toEqual(['w', undefined])
  })

  test('the cluster of the moment has the same readiness as the list', async () => {
    const view = views({ nowMs: NOW_MS, atMs: day(55) })
    const found = await view.cluster('a')
    const [listed] = (await view.readiness({ target: found!.readiness!.target, isDescending: false, limit: 1 }))
      .clusters
    expect(found!.readiness).toEqual(listed)
    expect(await views({ nowMs: NOW_MS, atMs: day(-1) }).cluster('a')).toBeUndefined()
  })
})

test('the number of outdated VMs is that of the moment, and nothing where none is stored', async () => {
  const outdated = async (atDay: number) =>
    (await views({ nowMs: NOW_MS, atMs: day(atDay) }).cluster('a'))?.view.record.workloads?.outdated
  expect([await outdated(29), await outdated(30), await outdated(39), await outdated(41)]).toEqual([
    ...[undefined, 12, 12, undefined],
  ])
})
