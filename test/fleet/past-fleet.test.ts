import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createFleetBook } from '../../src/fleet/fleet-book.ts'
import { fleetNow } from '../../src/fleet/now.ts'
import { pastFleet } from '../../src/fleet/past-fleet.ts'
import type { PastFleet } from '../../src/fleet/past-fleet.ts'
import { pastUpgrades } from '../../src/fleet/past-pages.ts'
import type { ClusterRecord } from '../../src/model/cluster-record.ts'
import type { ClusterFacts, UpgradeQuery } from '../../src/model/fleet-facts.ts'
import { openDatabase } from '../../src/store/database.ts'
import { createFacts } from '../../src/store/facts/facts.ts'
import { Turns } from '../../src/store/turns.ts'
import { emptyRecord } from '../support/cluster-record.ts'
import { MINUTE_MS, phase, recordOf, T0 } from './edge-script.ts'
import type { RecordScript } from './edge-script.ts'

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

const book = createFleetBook()
for (const one of FLEET) book.put(one)

const dir = mkdtempSync(join(tmpdir(), 'daytwo-past-'))
const database = openDatabase(dir)
const kept = createFacts(database, new Turns()).fleet
beforeAll(() => kept.putAll({ facts: FLEET, keepBeforeMs: 0, meta: [] }))
afterAll(() => {
  database.close()
  rmSync(dir, { recursive: true })
})

const then = (minute: number): Promise<PastFleet> => pastFleet(kept, book, at(minute))
const ids = ({ items }: { readonly items: readonly { readonly id: string }[] }): string[] => items.map(({ id }) => id)

describe('the fleet at a moment', () => {
  test('that is now is the fleet now', async () => {
    const past = await then(61)
    expect(fleetNow(past, at(61), 200)).toEqual(fleetNow(book, at(61), 200))
    const query = { sort: 'cluster', isDescending: false, limit: 100 } as const
    expect(past.clusters(query)).toEqual(book.clusters(query, at(61)))
    expect(past.insight.edges.edges()).toEqual(book.insight.edges.edges())
  })

  test('has the clusters that were known, with the versions that ran', async () => {
    const past = await then(10)
    const page = past.clusters({ sort: 'cluster', isDescending: false, limit: 100 })
    expect(page.clusters.map(({ record: { cluster, hcoVersion } }) => [cluster, hcoVersion])).toEqual([
      ['done', '1.16.0'],
      ['halts', undefined],
      ['mute', '1.15.0'],
      ['waves', undefined],
    ])
    const { record, states, open } = past.cluster('done')!
    expect([record.isTainted, record.systemHealth, record.lastSeenMs]).toEqual([undefined, undefined, at(10)])
    expect([states, open.map(({ verdict }) => verdict.phase)]).toEqual([['upgrading'], ['operands']])
  })

  test('calls silent only those of which nothing came since', async () => {
    expect((await then(10)).cluster('mute')!.states).toEqual(['silent'])
    expect((await then(-25)).cluster('mute')!.states).toEqual(['steady'])
    expect(fleetNow(await then(10), at(10), 200).silent.items.map(({ cluster }) => cluster)).toEqual(['mute'])
  })

  test('knows what was stuck; where nodes went on without a word, nobody does', async () => {
    const { stuck, upgrading } = fleetNow(await then(9), at(9), 200)
    expect(ids(stuck)).toEqual(['halts-1.17.0'])
    expect(stuck.items[0]).toMatchObject({ phase: 'olm.installing', phaseSinceMs: at(-290) })
    expect(ids(upgrading).sort()).toEqual(['done-1.17.0', 'halts-1.17.0', 'waves-1.17.0'])
  })

  test('before anything was heard is empty, and says since when something is known', async () => {
    const past = await then(-500)
    expect([past.knownFromMs, past.coverage(0).clusters, past.insight.edges.edges()]).toEqual([at(-100), 0, []])
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
