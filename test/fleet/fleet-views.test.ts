import Database from 'better-sqlite3'
import { beforeEach, describe, expect, test } from 'vitest'
import { fillFleetIndex, rereadDecommissions } from '../../src/fleet/clusters/fill-fleet-index.ts'
import { createFleetIndex, type FleetIndex } from '../../src/fleet/clusters/fleet-index.ts'
import type { FleetView } from '../../src/fleet/fleet-view.ts'
import { createFleetViews, type FleetViews } from '../../src/fleet/fleet-views.ts'
import type { Modification } from '../../src/model/cluster-record.ts'
import { NO_ALERTS } from '../support/fleet-facts.ts'
import type { FleetFactsReader } from '../../src/model/fleet-facts.ts'
import { ConnectionLock } from '../../src/store/connection-lock.ts'
import { createFacts, type Facts } from '../../src/store/facts/facts.ts'
import { migrate } from '../../src/store/migrations.ts'
import { emptyRecord } from '../support/cluster-record.ts'
import { putFacts } from '../support/put-facts.ts'
import { phase, recordOf, T0, MINUTE_MS } from './edge-script.ts'

const at = (minute: number): number => T0 + minute * MINUTE_MS
const PROGRESS = { caughtUpMs: at(60), waiting: 0, daysLeft: 0 }

const EDIT: Modification = {
  ...{ id: 'm1', cluster: 'done', kind: 'out_of_band', component: 'kubevirt', startedMs: at(5), endedMs: at(5) },
  ...{ count: 1, text: 'kubevirt was edited', isUpgradeMode: false, resolutionSeconds: 1 },
}

let facts: Facts
let index: FleetIndex
/** How often the records of the past were read. */
let pastReads: number
let views: FleetViews
let failure: Error | undefined

beforeEach(async () => {
  const database = new Database(':memory:')
  migrate(database, ':memory:')
  facts = createFacts(database, new ConnectionLock())
  const coverage = { objects: false, metrics: true, spans: false, metricsLastMs: at(60), kinds: [] }
  await putFacts(facts.fleet, [
    {
      cluster: emptyRecord('done', {
        ...{ firstSeenMs: at(-100), lastSeenMs: at(60), coverage, hcoVersion: '1.17.0' },
        aliases: ['6f3c1d52-9f0e-4c1b-8a53-0d6c5a1e7b10', 'prague'],
      }),
      intervals: [],
      upgrades: [recordOf({ cluster: 'done', id: 'u1', startMinute: 0, endMinute: 20, phases: [phase('olm', 0, 20)] })],
      modifications: [EDIT],
    },
    {
      cluster: emptyRecord('young', { firstSeenMs: at(30), lastSeenMs: at(60), coverage }),
      intervals: [],
      upgrades: [],
      modifications: [],
    },
  ])
  pastReads = 0
  failure = undefined
  const reader: FleetFactsReader = new Proxy<FleetFactsReader>(facts.fleet, {
    get: (target, name: keyof FleetFactsReader) => {
      if (name !== 'intervalsAt') return target[name].bind(target)
      pastReads++
      return (timeMs: number) => (failure === undefined ? target.intervalsAt(timeMs) : Promise.reject(failure))
    },
  })
  index = await fillFleetIndex(createFleetIndex(), facts.fleet, facts.decommissions)
  views = createFleetViews(reader, Promise.resolve(index), () => PROGRESS, NO_ALERTS)
})

type OfPresent = 'calibration' | 'plan' | 'baselineReplay'

/** Each question once. */
async function answersOf(view: FleetView): Promise<Record<Exclude<keyof FleetView, OfPresent>, unknown>> {
  const name = { operator: 'kubevirt-hyperconverged', from: '1.16.0', to: '1.17.0' } as const
  const page = { isDescending: false, limit: 10 }
  return {
    now: await view.now(10),
    clusters: await view.clusters({ ...page, sort: 'cluster' }),
    cluster: await view.cluster('done'),
    readiness: await view.readiness({ ...page, hasFacets: true }),
    targets: await view.targets(),
    coverage: await view.coverage(),
    knownFrom: await view.knownFrom(),
    lastReports: await view.lastReports(['done', 'nobody']),
    upgrades: await view.upgrades({ ...page, sort: 'started' }),
    upgrade: await view.upgrade('u1'),
    upgradeSpans: await view.upgradeSpans(['done', 'nobody'], 0),
    open: await view.open(),
    healthy: await view.healthy(),
    judge: await view.judge('u1'),
    modifications: await view.modifications({ limit: 10 }),
    stranded: await view.stranded(),
    updateGraph: await view.updateGraph({ operator: 'kubevirt-hyperconverged', cluster: 'done', to: '1.18.1' }),
    servedGraph: await view.servedGraph({ channel: 'stable' }),
    gates: await view.gates(),
    patches: await view.patches(),
    patch: await view.patch('none'),
    configuration: await view.configuration({ filter: {} }),
    setting: await view.setting('evictionStrategy', { filter: {} }),
    differences: await view.differences('done'),
    stacks: await view.stacks(),
    rollout: await view.rollout({ operator: 'kubevirt-hyperconverged', version: '1.17.0', cohort: {} }),
    rollouts: await view.rollouts('kubevirt-hyperconverged'),
    gone: await view.gone(),
    unjoined: await view.unjoined(),
    edges: await view.edges({}),
    edge: await view.edge(name),
    compare: await view.compare(name, name),
    runs: await view.runs({ limit: 10 }),
    typical: await view.typical(name),
    medianRun: await view.medianRun(name, 'other'),
  }
}

describe('views of the fleet', () => {
  test('a moment with nothing later answers each question as the present does', async () => {
    const present = await answersOf(views({ nowMs: at(61) }))
    expect(await answersOf(views({ nowMs: at(62), atMs: at(61) }))).toEqual(present)
    expect(present.upgrade).toMatchObject({ upgrade: { id: 'u1', state: 'succeeded' } })
    expect(present.now).toMatchObject({ derivation: PROGRESS })
  })

  test('upgrades and modifications of a cluster are found by its name and by each alias, in the present and then', async () => {
    const listOf = async (cluster: string, atMs?: number) => {
      const view = views({ nowMs: at(62), ...(atMs === undefined ? {} : { atMs }) })
      const upgrades = await view.upgrades({ cluster, sort: 'started', isDescending: true, limit: 10 })
      const modifications = await view.modifications({ cluster, limit: 10 })
      return [...upgrades.map(({ upgrade }) => upgrade.id), ...modifications.map(({ id }) => id)]
    }
    for (const name of ['done', 'prague', '6f3c1d52-9f0e-4c1b-8a53-0d6c5a1e7b10']) {
      expect([name, await listOf(name), await listOf(name, at(61))]).toEqual([name, ['u1', 'm1'], ['u1', 'm1']])
    }
    expect(await listOf('young')).toEqual([])
    expect(await listOf('nobody')).toEqual([])
  })

  test('a moment has only what was then, and names when anything was first seen', async () => {
    const then = views({ nowMs: at(61), atMs: at(10) })
    const { clusters } = await then.clusters({ sort: 'cluster', isDescending: false, limit: 10 })
    expect(clusters.map(({ record }) => record.cluster)).toEqual(['done'])
    expect(await then.upgrade('u1')).toMatchObject({ upgrade: { state: 'in_progress' } })
    expect(await views({ nowMs: at(61), atMs: at(-500) }).knownFrom()).toBe(at(-100))
    expect(await views({ nowMs: at(61), atMs: at(-500) }).upgrade('u1')).toBeUndefined()
  })

  test('the index of a moment is made once for a while, and again after a failure', async () => {
    const then = (nowMs: number) => views({ nowMs, atMs: at(10) }).coverage()
    await Promise.all([then(at(61)), then(at(61) + 1000)])
    expect(pastReads).toBe(1)
    await then(at(62))
    expect(pastReads).toBe(2)
    failure = new Error('the disk is gone')
    await expect(then(at(63))).rejects.toThrow('the disk is gone')
    failure = undefined
    expect((await then(at(63))).clusters).toBe(1)
  })

  test('decommissions that are declared count from when they are read, and from when they changed something', async () => {
    expect(await rereadDecommissions(index, facts.decommissions)).toBeUndefined()
    const declared = { id: 'd1', cluster: 'young', sinceMs: at(61), by: 'ada', reason: 'sold', saidMs: at(61) }
    const action = { atMs: at(61), by: 'ada', action: 'cluster.decommission', subject: 'young', detail: '{}' } as const
    await facts.decommissions.write([{ value: declared, audited: action }])
    expect(await rereadDecommissions(index, facts.decommissions)).toBe(at(61))
    expect(await rereadDecommissions(index, facts.decommissions)).toBeUndefined()
    expect([...(await views({ nowMs: at(62) }).gone()).keys()]).toEqual(['young'])
  })
})
