import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createEdgeIndex } from '../../../src/fleet/edges/edge-index.ts'
import { createFleetIndex } from '../../../src/fleet/clusters/fleet-index.ts'
import { pageOf } from '../../../src/fleet/past/keyset.ts'
import { fleetNow } from '../../../src/fleet/now/now.ts'
import { pastFleet, type PastFleet } from '../../../src/fleet/past/past-fleet.ts'
import { pastUpgrades } from '../../../src/fleet/past/past-pages.ts'
import { recordAt } from '../../../src/fleet/past/record-at.ts'
import { isOpen } from '../../../src/fleet/stuck/stuck.ts'
import type { ClusterRecord } from '../../../src/model/cluster-record.ts'
import { upgradeKeyOf, type ClusterFacts, type UpgradeQuery } from '../../../src/model/fleet-facts.ts'
import type { UpgradeRecord } from '../../../src/model/upgrade.ts'
import { openDatabase } from '../../../src/store/database.ts'
import { createFacts } from '../../../src/store/facts/facts.ts'
import { ConnectionLock } from '../../../src/store/connection-lock.ts'
import { tempDir } from '../../support/temp-dir.ts'
import { emptyRecord } from '../../support/cluster-record.ts'
import { MINUTE_MS, phase, recordOf, T0, type RecordScript } from '../edge-script.ts'
import { putFacts } from '../../support/put-facts.ts'

const at = (minute: number): number => T0 + minute * MINUTE_MS

const known = (untilMinute: number, more: Partial<ClusterRecord> = {}): Partial<ClusterRecord> => ({
  firstSeenMs: at(-100),
  lastSeenMs: at(untilMinute),
  coverage: { objects: false, metrics: true, spans: false, metricsLastMs: at(untilMinute), kinds: [] },
  ...more,
})

function facts(cluster: string, record: Partial<ClusterRecord>, ...scripts: RecordScript[]): ClusterFacts {
  return {
    cluster: emptyRecord(cluster, record),
    intervals: [],
    upgrades: scripts.map((script) => recordOf({ cluster, id: `${cluster}-${script.to ?? '1.17.0'}`, ...script })),
    modifications: [],
  }
}

const version = (cluster: string, hco: string, fromMinute: number, untilMinute?: number) => ({
  ...{ cluster, operator: 'kubevirt-hyperconverged', version: hco, fromMs: at(fromMinute), isStartKnown: true },
  ...(untilMinute === undefined ? {} : { untilMs: at(untilMinute) }),
  resolutionSeconds: 30,
})

/** Upgraded from minute 0 to 20; stood in OLM for a day until its machines began to follow, which goes on. */
const FLEET: readonly ClusterFacts[] = [
  {
    ...facts(
      'done',
      known(60, { hcoVersion: '1.17.0', isTainted: true, systemHealth: 'healthy', platform: { kind: 'openshift' } }),
      { startMinute: 0, endMinute: 20, seenMinute: 60, phases: [phase('olm', 0, 5), phase('operands', 5, 20)] },
    ),
    intervals: [version('done', '1.16.0', -100, 20), version('done', '1.17.0', 20)],
  },
  facts('halts', known(60), {
    ...{ startMinute: -300, seenMinute: 60, progressMinute: 50 },
    phases: [phase('olm', -300, 10), phase('olm.installing', -290, 10), phase('operands', 10)],
  }),
  facts('waves', known(60), {
    ...{ startMinute: -300, seenMinute: 60, progressMinute: 59 },
    phases: [phase('operands', -290), phase('virt_handler.waves', -200)],
  }),
  facts('mute', known(-30, { hcoVersion: '1.15.0' })),
  facts('young', known(60, { firstSeenMs: at(30) })),
]

const index = createFleetIndex()
for (const one of FLEET) index.put(one)

const dir = mkdtempSync(join(tmpdir(), 'daytwo-past-'))
const database = openDatabase(dir)
const kept = createFacts(database, new ConnectionLock()).fleet
beforeAll(() => putFacts(kept, FLEET))
afterAll(() => {
  database.close()
  rmSync(dir, { recursive: true })
})

const then = (minute: number): Promise<PastFleet> => pastFleet(kept, index, at(minute))
const ids = ({ items }: { readonly items: readonly { readonly id: string }[] }): string[] => items.map(({ id }) => id)

describe('the fleet at a moment', () => {
  test('that is now is the fleet now', async () => {
    const past = await then(61)
    expect(fleetNow(past, at(61), 200)).toEqual(fleetNow(index, at(61), 200))
    const query = { sort: 'cluster', isDescending: false, limit: 100 } as const
    expect(past.clusters(query, at(61))).toEqual(index.clusters(query, at(61)))
    expect(past.edges.edges()).toEqual(index.edges.edges())
  })

  test('has the clusters that were known, with the versions that ran', async () => {
    const past = await then(10)
    const page = past.clusters({ sort: 'cluster', isDescending: false, limit: 100 }, at(10))
    expect(page.clusters.map(({ record: { cluster, hcoVersion } }) => [cluster, hcoVersion])).toEqual([
      ['done', '1.16.0'],
      ['halts', undefined],
      ['mute', '1.15.0'],
      ['waves', undefined],
    ])
    const { record, states, open } = past.cluster('done', at(10))!
    expect([record.isTainted, record.systemHealth, record.lastSeenMs]).toEqual([undefined, undefined, at(10)])
    expect([states, open.map(({ verdict }) => verdict.phase)]).toEqual([['upgrading'], ['operands']])
  })

  test('calls silent only those of which nothing came since', async () => {
    expect((await then(10)).cluster('mute', at(10))!.states).toEqual(['silent'])
    expect((await then(-25)).cluster('mute', at(-25))!.states).toEqual(['steady'])
    expect(fleetNow(await then(10), at(10), 200).silent.items.map(({ cluster }) => cluster)).toEqual(['mute'])
  })

  test('knows what was stuck; where nodes went on without a word, nobody does', async () => {
    const { stuck, upgrading } = fleetNow(await then(9), at(9), 200)
    expect(ids(stuck)).toEqual(['halts-1.17.0'])
    expect(stuck.items[0]).toMatchObject({ phase: 'olm.installing', phaseSinceMs: at(-290) })
    expect(ids(upgrading).sort()).toEqual(['done-1.17.0', 'halts-1.17.0', 'waves-1.17.0'])
  })

  test('before anything was seen is empty', async () => {
    const past = await then(-500)
    expect([past.coverage(0).clusters, past.edges.edges()]).toEqual([0, []])
  })
})

test('lists of upgrades are filtered and sorted by what held then', async () => {
  const ask = async (minute: number, more: Partial<UpgradeQuery> = {}): Promise<string[]> => {
    const query: UpgradeQuery = { sort: 'started', isDescending: true, limit: 10, ...more }
    return (await pastUpgrades(kept, query, at(minute))).map(({ upgrade }) => upgrade.id)
  }
  expect(await ask(-1)).toEqual(['waves-1.17.0', 'halts-1.17.0'])
  expect(await ask(10, { states: ['succeeded'] })).toEqual([])
  expect(await ask(20, { states: ['succeeded'] })).toEqual(['done-1.17.0'])
  expect(await ask(20, { sort: 'ended', limit: 1 })).toEqual(['done-1.17.0'])
  expect(await ask(20, { limit: 1, after: { key: at(0), id: 'done-1.17.0' } })).toEqual(['waves-1.17.0'])
  expect(await ask(20, { cluster: 'done', toMs: at(-1) })).toEqual([])
})

describe('a part of the upgrades is read', () => {
  const PHASES = ['olm', 'operands', 'workloads'] as const
  const minute = fc.integer({ min: -60, max: 60 })
  const script = fc.record({
    cluster: fc.constantFrom('a', 'b', 'c'),
    operator: fc.constantFrom('kubevirt-hyperconverged', 'kubevirt'),
    from: fc.option(fc.constantFrom('1.15.0', '1.16.0'), { nil: undefined }),
    state: fc.constantFrom('succeeded', 'failed', 'superseded', 'unknown', 'in_progress'),
    startMinute: fc.option(minute, { nil: undefined }),
    endMinute: fc.option(minute, { nil: undefined }),
    seenMinute: minute,
    phases: fc.array(
      fc
        .record({ name: fc.constantFrom(...PHASES), from: minute, takes: fc.option(fc.nat(30), { nil: undefined }) })
        .map(({ name, from, takes }) => phase(name, from, takes === undefined ? undefined : from + takes)),
      { maxLength: 3 },
    ),
  })
  /** Ends after starts, and nothing is newer than what was seen of the cluster. */
  const toRecord = (
    { startMinute, endMinute, seenMinute, from, ...rest }: typeof script extends fc.Arbitrary<infer S> ? S : never,
    i: number,
  ): UpgradeRecord => {
    const times = [
      startMinute,
      endMinute,
      ...rest.phases.flatMap((one) =>
        [one.startedMs, one.endedMs].map((ms) => (ms === undefined ? undefined : (ms - T0) / MINUTE_MS)),
      ),
    ]
    const record = recordOf({
      ...rest,
      id: `u${i}`,
      ...(from === undefined ? {} : { from }),
      ...(startMinute === undefined ? {} : { startMinute }),
      ...(endMinute === undefined ? {} : { endMinute: Math.max(endMinute, startMinute ?? endMinute) }),
      seenMinute: Math.max(
        seenMinute,
        startMinute ?? -60,
        endMinute ?? -60,
        ...times.filter((one) => one !== undefined),
      ),
    })
    const { from: origin, ...upgrade } = record.upgrade
    return {
      ...record,
      upgrade: from === undefined ? upgrade : { ...upgrade, ...(origin === undefined ? {} : { from: origin }) },
    }
  }

  test('and the answer is what all of them, cut, would say', async () => {
    const folder = tempDir('daytwo-past-part-')
    const other = openDatabase(folder.path)
    const fleet = createFacts(other, new ConnectionLock()).fleet
    const query = fc.record({
      states: fc.option(
        fc.uniqueArray(fc.constantFrom('succeeded', 'failed', 'in_progress', 'unknown'), { minLength: 1 }),
        { nil: undefined },
      ),
      fromMs: fc.option(minute.map(at), { nil: undefined }),
      operator: fc.option(fc.constantFrom('kubevirt-hyperconverged', 'kubevirt'), { nil: undefined }),
      sort: fc.constantFrom('started', 'ended', 'cluster'),
      isDescending: fc.boolean(),
      limit: fc.integer({ min: 1, max: 4 }),
    })
    try {
      await fc.assert(
        fc.asyncProperty(fc.array(script, { maxLength: 12 }), minute, query, async (scripts, then, asked) => {
          const records = scripts.map(toRecord)
          const all = ['a', 'b', 'c'].map((cluster): ClusterFacts => ({
            ...facts(cluster, known(60)),
            upgrades: records.filter(({ upgrade }) => upgrade.cluster === cluster),
          }))
          await putFacts(fleet, all)
          const present = createFleetIndex()
          for (const one of all) present.put(one)

          const cuts = records.flatMap((record) => recordAt(record, at(then)) ?? [])
          const whole = createEdgeIndex()
          for (const cluster of ['a', 'b', 'c'])
            whole.put(
              cluster,
              cuts.filter(({ upgrade }) => upgrade.cluster === cluster),
            )
          const past = await pastFleet(fleet, present, at(then))
          expect(past.edges.edges()).toEqual(whole.edges())
          const openThen = past.open(at(then)).map(({ record }) => record)
          const byId = (a: UpgradeRecord, b: UpgradeRecord): number => (a.upgrade.id < b.upgrade.id ? -1 : 1)
          expect([...openThen].sort(byId)).toEqual(cuts.filter(isOpen).sort(byId))

          const { limit, isDescending, sort, ...rest } = Object.fromEntries(
            Object.entries(asked).filter(([, value]) => value !== undefined),
          ) as unknown as UpgradeQuery
          const fit = cuts.filter(
            ({ upgrade }) =>
              (rest.states?.includes(upgrade.state) ?? true) &&
              upgrade.operator === (rest.operator ?? upgrade.operator) &&
              (upgrade.startedMs ?? -1) >= (rest.fromMs ?? -Infinity),
          )
          const order = {
            keyOf: ({ upgrade }: UpgradeRecord) => upgradeKeyOf(upgrade, sort),
            idOf: ({ upgrade }: UpgradeRecord) => upgrade.id,
          }
          const wanted = pageOf(fit, order, { isDescending, limit: 100 }).map(({ upgrade }) => upgrade.id)
          const found: string[] = []
          for (let after: UpgradeQuery['after'], page; ;) {
            page = await pastUpgrades(
              fleet,
              { ...rest, limit, isDescending, sort, ...(after === undefined ? {} : { after }) },
              at(then),
              () => Promise.resolve(openThen),
            )
            found.push(...page.map(({ upgrade }) => upgrade.id))
            const last = page.at(-1)
            if (last === undefined || page.length < limit) break
            after = { key: upgradeKeyOf(last.upgrade, sort), id: last.upgrade.id }
          }
          expect(found).toEqual(wanted)
        }),
        { numRuns: 60 },
      )
    } finally {
      other.close()
      folder.remove()
    }
  })
})
