/** Deliveries that contradict themselves or the cluster: made-up uids, reinstallations, restored etcd, wrong clocks. */
import { describe, expect, test } from 'vitest'
import { clusterHistory } from '../../../src/fleet/derive/cluster-history.ts'
import { deriveCluster } from '../../../src/fleet/derive/derive-cluster.ts'
import type { ClusterClaim } from '../../../src/model/cluster-claim.ts'
import type { MetricRun, ObjectObservation } from '../../../src/model/observation.ts'
import {
  CSV_UID,
  at,
  condition,
  csvFacts,
  csvName,
  goldenUpgrade,
  hcoFacts,
  observations,
  operandFacts,
  run,
  settled,
  sight,
  upgradingTo,
  type Step,
} from './stories.ts'

/** `from > to state start-end` of HCO's upgrades, in seconds after T0. */
function upgradesOf(parts: Parameters<typeof observations>[0]): readonly string[] {
  return deriveCluster(observations(parts))
    .upgrades.filter(({ upgrade }) => upgrade.operator === 'kubevirt-hyperconverged')
    .map(({ upgrade: { from, to, state, startedMs, endedMs } }) => {
      const second = (ms: number | undefined): string => (ms === undefined ? '?' : String((ms - at(0)) / 1000))
      return `${from ?? '?'} > ${to} ${state} ${second(startedMs)}-${second(endedMs)}`
    })
}

/** The objects of the golden upgrade. */
const CSV = { uid: CSV_UID, name: csvName('1.17.0') }
const HCO = { uid: '22222222-2222-4333-8444-555555555555', name: 'kubevirt-hyperconverged' }
const INSTALLED: readonly Step[] = [['Succeeded', 'InstallSucceeded', 95]]
const GOLDEN = '1.16.0 > 1.17.0 succeeded 0-840'

describe('objects of two kinds with one uid', () => {
  const kubevirt = (seconds: number, observedVersion: string): ObjectObservation =>
    sight(
      { uid: CSV_UID, name: 'kubevirt-kubevirt-hyperconverged', rv: 3000 + seconds, seconds },
      operandFacts('kubevirts', { observedVersion }),
    )

  test('are two objects', () => {
    const objects = [kubevirt(-60, 'v1.6.2'), ...goldenUpgrade(), kubevirt(700, 'v1.7.1')]
    expect(upgradesOf({ objects })).toEqual([GOLDEN])
    const { cluster } = deriveCluster(observations({ objects }))
    expect(cluster).toMatchObject({ hcoVersion: '1.17.0', versions: { kubevirt: 'v1.7.1' } })
  })

  test('the absence of one is not the absence of the other', () => {
    const objects = [kubevirt(-60, 'v1.6.2'), ...goldenUpgrade(), kubevirt(700, 'v1.7.1')]
    const absence = { cluster: objects[0]!.cluster, uid: CSV_UID, lastSeenMs: at(900), absentMs: at(3600) }
    const absences = [{ ...absence, kind: 'kubevirts' as const }]
    expect(upgradesOf({ objects, absences })).toEqual([GOLDEN])
    expect(deriveCluster(observations({ objects, absences })).cluster.versions).toEqual({})
  })
})

describe('HCO that was uninstalled and installed again', () => {
  const uninstalled = (seconds: number): readonly ObjectObservation[] => [
    sight({ ...HCO, rv: 2100, seconds, change: 'deleted' }, hcoFacts('1.17.0', settled(840))),
    sight({ ...CSV, rv: 2101, seconds: seconds + 60, change: 'deleted' }, csvFacts('1.17.0', INSTALLED)),
  ]
  const installed = (version: string, seconds: number, hcoSeconds = seconds + 240): readonly ObjectObservation[] => {
    const csv = { uid: 'csv-again', name: csvName(version) }
    const hco = { uid: 'hco-again', name: 'kubevirt-hyperconverged' }
    const steps: readonly Step[] = [
      ['Pending', 'RequirementsNotMet', seconds],
      ['Installing', 'InstallSucceeded', seconds + 20],
      ['Succeeded', 'InstallSucceeded', seconds + 200],
    ]
    const createdMs = at(seconds)
    const hcoCreated = { createdMs: at(hcoSeconds) }
    const starting = condition('Progressing', 'True', 'Init', 'Initializing HyperConverged cluster', hcoSeconds)
    const doneSeconds = Math.max(seconds, hcoSeconds) + 400
    return [
      sight({ ...csv, rv: 2202, seconds: seconds + 20 }, csvFacts(version, steps.slice(0, 2), { createdMs })),
      sight({ ...csv, rv: 2203, seconds: seconds + 200 }, csvFacts(version, steps, { createdMs })),
      sight({ ...hco, rv: 2150, seconds: hcoSeconds, change: 'added' }, hcoFacts(undefined, starting, hcoCreated)),
      sight({ ...hco, rv: 2205, seconds: doneSeconds }, hcoFacts(version, settled(doneSeconds), hcoCreated)),
    ]
  }

  test.each([
    ['in the same version', '1.17.0', undefined],
    ['in a later version', '1.18.0', undefined],
    ['in an earlier version', '1.16.0', undefined],
    ['with HyperConverged created before its CSV', '1.18.0', 1990],
  ])('%s is no upgrade', (_, version, hcoSeconds) => {
    const objects = [...goldenUpgrade(), ...uninstalled(1000), ...installed(version, 2000, hcoSeconds)]
    expect(upgradesOf({ objects })).toEqual([GOLDEN])
    expect(deriveCluster(observations({ objects })).cluster.hcoVersion).toBe(version)
  })

  test('is no upgrade either while it is being installed', () => {
    const objects = [...goldenUpgrade(), ...uninstalled(1000), installed('1.18.0', 2000)[0]!]
    expect(upgradesOf({ objects })).toEqual([GOLDEN])
  })

  test('is no upgrade by metrics that show both versions', () => {
    const objects = [...goldenUpgrade(), ...uninstalled(1000), ...installed('1.18.0', 2000)]
    const metrics = [
      run('csv_succeeded', { version: '1.17.0' }, 1, { first: 120, last: 1050, before: 90, after: 1080 }),
      run('csv_succeeded', { version: '1.18.0' }, 0, { first: 2010, last: 2190, before: 1980, after: 2220 }),
      run('csv_succeeded', { version: '1.18.0' }, 1, { first: 2220, last: 4000, before: 2190 }),
    ]
    expect(upgradesOf({ objects, metrics })).toEqual([GOLDEN])
  })

  test('a deletion that was only missed by two lists', () => {
    const { cluster } = goldenUpgrade()[0]!
    const absent = { cluster, lastSeenMs: at(900), absentMs: at(2700) }
    const absences = [
      { ...absent, kind: 'hyperconvergeds' as const, uid: HCO.uid },
      { ...absent, kind: 'clusterserviceversions' as const, uid: CSV.uid },
    ]
    const objects = [...goldenUpgrade(), ...installed('1.18.0', 2000)]
    expect(upgradesOf({ objects, absences })).toEqual([GOLDEN])
  })

  test('an upgrade by a new CSV, with HyperConverged still there, is one', () => {
    const [, deletedCsv] = uninstalled(1000)
    const objects = [
      ...goldenUpgrade(),
      deletedCsv!,
      ...installed('1.18.0', 2000).slice(0, 2),
      sight({ ...HCO, rv: 2300, seconds: 2210 }, hcoFacts('1.17.0', upgradingTo('1.18.0', 2209))),
      sight({ ...HCO, rv: 2301, seconds: 2601 }, hcoFacts('1.18.0', settled(2600))),
    ]
    expect(upgradesOf({ objects })).toEqual([GOLDEN, '1.17.0 > 1.18.0 succeeded 2000-2600'])
  })
})

describe('etcd that was restored from a snapshot', () => {
  const KUBEVIRT = { uid: 'kubevirt-1', name: 'kubevirt-kubevirt-hyperconverged' }
  const OLD_CSV = { uid: '00000000-2222-4333-8444-555555555555', name: csvName('1.16.0') }
  const SUCCEEDED: readonly Step[] = [['Succeeded', 'InstallSucceeded', -90_000]]
  const kubevirt = (version: string, second: number) =>
    operandFacts('kubevirts', {
      observedVersion: version,
      targetVersion: version,
      conditions: [condition('Available', 'True', 'AllComponentsReady', '', second)],
    })
  const oldCsv = csvFacts('1.16.0', SUCCEEDED, { createdMs: at(-90_100) })
  const before = [
    sight({ ...OLD_CSV, rv: 900, seconds: -600, change: 'listed' }, oldCsv),
    sight({ ...HCO, rv: 910, seconds: -600, change: 'listed' }, hcoFacts('1.16.0', settled(-90_000))),
    sight({ ...KUBEVIRT, rv: 920, seconds: -600, change: 'listed' }, kubevirt('v1.6.2', -90_000)),
    ...goldenUpgrade(),
    sight({ ...KUBEVIRT, rv: 3000, seconds: 700 }, kubevirt('v1.7.1', 700)),
  ]
  /** The snapshot is of revision 950, before the upgrade; the operators of 1.16 start and write their status. */
  const restored = [
    sight({ ...HCO, rv: 960, seconds: 7200 }, hcoFacts('1.16.0', settled(7200))),
    sight({ ...KUBEVIRT, rv: 970, seconds: 7230 }, kubevirt('v1.6.2', 7230)),
  ]

  test('the versions of the snapshot run again, by no upgrade', () => {
    const objects = [...before, ...restored]
    const { cluster, intervals } = deriveCluster(observations({ objects }))
    expect(cluster).toMatchObject({ hcoVersion: '1.16.0', versions: { kubevirt: 'v1.6.2' } })
    expect(upgradesOf({ objects })).toEqual([GOLDEN])
    const shown = intervals
      .filter(({ operator }) => operator === 'kubevirt-hyperconverged')
      .map(({ version, fromMs }) => `${version} ${(fromMs - at(0)) / 1000}`)
    expect(shown).toEqual(['1.16.0 -600', '1.17.0 840', '1.16.0 7200'])
  })

  test('also when their revisions have passed those before the restore', () => {
    const later = [
      sight({ ...HCO, rv: 9000, seconds: 90_000 }, hcoFacts('1.16.0', settled(90_000))),
      sight({ ...KUBEVIRT, rv: 9010, seconds: 90_030 }, kubevirt('v1.6.2', 90_030)),
    ]
    expect(upgradesOf({ objects: [...before, ...restored, ...later] })).toEqual([GOLDEN])
    expect(deriveCluster(observations({ objects: [...before, ...restored, ...later] })).cluster.hcoVersion).toBe(
      '1.16.0',
    )
  })

  test('the next upgrade starts at the version of the snapshot', () => {
    const again: readonly Step[] = [
      ['Pending', 'RequirementsNotMet', 9000],
      ['Installing', 'InstallSucceeded', 9020],
      ['Succeeded', 'InstallSucceeded', 9090],
    ]
    const csv = { uid: 'csv-again', name: csvName('1.17.0') }
    const facts = csvFacts('1.17.0', again, { createdMs: at(9000), replaces: csvName('1.16.0') })
    const objects = [
      ...before,
      ...restored,
      sight({ ...csv, rv: 1020, seconds: 9090 }, facts),
      sight({ ...HCO, rv: 1030, seconds: 9096 }, hcoFacts('1.16.0', upgradingTo('1.17.0', 9095))),
      sight({ ...HCO, rv: 1040, seconds: 9800 }, hcoFacts('1.17.0', settled(9800))),
    ]
    expect(upgradesOf({ objects })).toEqual([GOLDEN, '1.16.0 > 1.17.0 succeeded 9000-9800'])
    expect(deriveCluster(observations({ objects })).cluster.hcoVersion).toBe('1.17.0')
  })

  test('an upgrade that the restore undid has ended', () => {
    const begun = before.filter(({ observedMs }) => observedMs < at(720))
    expect(upgradesOf({ objects: [...begun, ...restored] })).toEqual(['1.16.0 > 1.17.0 rolled_back 0-7200'])
  })

  test('KubeVirt without HCO', () => {
    const onlyKubevirt = [...before, ...restored].filter(({ facts }) => facts.kind === 'kubevirts')
    const node = (rv: number, seconds: number): ObjectObservation => {
      const facts = {
        kind: 'nodes',
        isReady: rv < 3000,
        isSchedulable: true,
        roles: [],
        kubeletVersion: '1.30',
      } as const
      return sight({ uid: 'node-1', name: 'node-1', rv, seconds }, facts)
    }
    const objects = [...onlyKubevirt, node(3100, 800), node(980, 7300)]
    const { cluster, upgrades } = deriveCluster(observations({ objects }))
    expect(upgrades.map(({ upgrade: { to, state } }) => `${to} ${state}`)).toEqual(['v1.7.1 succeeded'])
    expect(cluster.versions).toEqual({ kubevirt: 'v1.6.2' })
  })

  describe('and nothing is written after it', () => {
    const again = (seconds: number, change: ObjectObservation['change'] = 'listed'): readonly ObjectObservation[] => [
      sight({ ...OLD_CSV, rv: 900, seconds, change }, oldCsv),
      sight({ ...HCO, rv: 910, seconds, change }, hcoFacts('1.16.0', settled(-90_000))),
      sight({ ...KUBEVIRT, rv: 920, seconds: seconds + 30, change }, kubevirt('v1.6.2', -90_000)),
    ]
    const shownOf = (objects: readonly ObjectObservation[]): unknown => {
      const { cluster, intervals } = deriveCluster(observations({ objects }))
      const hco = intervals.filter(({ operator }) => operator === 'kubevirt-hyperconverged')
      return {
        upgrades: upgradesOf({ objects }),
        versions: [cluster.hcoVersion, cluster.versions['kubevirt']],
        intervals: hco.map(({ version, fromMs }) => `${version} ${Math.floor((fromMs - at(0)) / 1000)}`),
      }
    }
    const csvOf = (objects: readonly ObjectObservation[]) =>
      clusterHistory(observations({ objects }))
        .of('clusterserviceversions')
        .find(({ uid }) => uid === OLD_CSV.uid)!
    const AFTER = { upgrades: [GOLDEN], versions: ['1.16.0', 'v1.6.2'] }
    const UPGRADED = {
      upgrades: [GOLDEN],
      versions: ['1.17.0', 'v1.7.1'],
      intervals: ['1.16.0 -600', '1.17.0 840'],
    }
    const RESTORED = { ...AFTER, intervals: ['1.16.0 -600', '1.17.0 840', '1.16.0 7230'] }

    test.each(['listed', 'added'] as const)('the versions of the snapshot run again when they are %s', (change) => {
      expect(shownOf([...before, ...again(7200, change)])).toEqual(RESTORED)
      expect(shownOf([...again(7200, change), ...again(9000, change), ...before].reverse())).toEqual(RESTORED)
    })

    test('from the earliest time on that no wrong clock explains', () => {
      const hco = again(841 + 45 * 60).slice(1, 2)
      const kubevirtAgain = again(700 - 30 + 45 * 60).slice(2)
      const objects = [...before, ...hco, ...kubevirtAgain]
      expect(shownOf(objects)).toEqual({ ...AFTER, intervals: ['1.16.0 -600', '1.17.0 840', '1.16.0 3541'] })
    })

    test('what is written later is no second restore', () => {
      const later = restored.map((one) => ({ ...one, observedMs: one.observedMs + 90_000_000 }))
      expect(shownOf([...before, ...again(7200), ...later])).toEqual(RESTORED)
    })

    test('what is written first is the time of the restore, whichever objects are only listed', () => {
      const objects = [...before, ...again(7200).slice(0, 2), sight({ ...KUBEVIRT, rv: 970, seconds: 6000 }, kubevirt('v1.6.2', 6000))] // prettier-ignore
      expect(shownOf(objects)).toEqual({ ...AFTER, intervals: ['1.16.0 -600', '1.17.0 840', '1.16.0 6000'] })
    })

    test('one object is written, and one is only listed', () => {
      const deleted = sight({ ...OLD_CSV, rv: 2300, seconds: 100, change: 'deleted' }, oldCsv)
      const hco = sight({ ...HCO, rv: 960, seconds: 40_000 }, hcoFacts('1.16.0', settled(40_000)))
      const objects = [...before, deleted, ...again(2900).slice(0, 1), hco]
      expect(shownOf(objects)).toEqual({ ...AFTER, intervals: ['1.16.0 -600', '1.17.0 840', '1.16.0 40000'] })
    })

    test('a second restore, from a later snapshot, changes nothing about the first', () => {
      const both = (version: string, kubevirtVersion: string, rv: number, seconds: number, listed?: number) => {
        const [hco, kv] = [
          { ...HCO, rv },
          { ...KUBEVIRT, rv: rv + 10 },
        ]
        const facts = [hcoFacts(version, settled(seconds)), kubevirt(kubevirtVersion, seconds)] as const
        const more = listed === undefined ? { seconds } : { seconds: listed, change: 'listed' as const }
        return [sight({ ...hco, ...more }, facts[0]), sight({ ...kv, ...more }, facts[1])]
      }
      const later = [...both('1.16.1', 'v1.6.3', 5000, 90_000), ...both('1.16.2', 'v1.6.4', 6000, 180_000)]
      const first = [...before, ...restored, ...later]
      expect(shownOf([...first, ...both('1.16.1', 'v1.6.3', 5000, 90_000, 200_000)])).toEqual({
        upgrades: [
          expect.stringContaining('1.16.0 > 1.16.1 succeeded'),
          expect.stringContaining('1.16.1 > 1.16.2 succeeded'),
          GOLDEN,
        ],
        versions: ['1.16.1', 'v1.6.3'],
        intervals: ['1.16.0 -600', '1.17.0 840', '1.16.0 7200', '1.16.1 90000', '1.16.2 180000', '1.16.1 200000'],
      })
    })

    test('states of before the snapshot that are delivered after it change nothing', () => {
      const late = [
        sight({ ...KUBEVIRT, rv: 905, seconds: 7300 }, kubevirt('v1.6.1', -95_000)),
        sight({ ...OLD_CSV, rv: 890, seconds: 7310 }, csvFacts('1.16.0', [['Failed', 'InstallCheckFailed', -95_000]])),
      ]
      expect(shownOf([...before, ...again(7200), ...late])).toEqual(RESTORED)
      const { states } = csvOf([...before, ...again(7200), ...late, ...again(9000)])
      expect(states.map(({ facts }) => facts.phase)).toEqual(['Succeeded', 'Deleting', 'Succeeded'])
    })

    test('an earlier report in a wrong order, of one object, does not hide it', () => {
      const wrong = sight({ ...KUBEVIRT, rv: 970, seconds: 7200 }, kubevirt('v1.6.2', 700))
      const hcoLater = sight({ ...HCO, rv: 2200, seconds: 8000 }, hcoFacts('1.17.0', settled(840)))
      expect(shownOf([...before, wrong, hcoLater])).toEqual(UPGRADED)
      const objects = [...before, wrong, hcoLater, ...again(20_000).slice(1)]
      expect(shownOf(objects)).toEqual({ ...AFTER, intervals: ['1.16.0 -600', '1.17.0 840', '1.16.0 20030'] })
    })

    test('a deletion since the snapshot is undone, also by the version of the object before it', () => {
      const cdi = (seconds: number): ObjectObservation =>
        sight({ uid: 'cdi', name: 'cdi', rv: 950, seconds, change: 'listed' }, operandFacts('cdis', {}))
      const deleted = sight({ ...OLD_CSV, rv: 900, seconds: 100, change: 'deleted' }, oldCsv)
      const upgraded = [...before, deleted, cdi(-500), cdi(6900)]
      expect(csvOf(upgraded).gone).toEqual({ atMs: at(100), sinceMs: at(100) })
      expect(csvOf([...upgraded, ...again(7200)]).gone).toBeUndefined()
    })

    test('a CSV that was deleted since the snapshot is there again', () => {
      const deleted = sight({ ...OLD_CSV, rv: 2300, seconds: 100, change: 'deleted' }, oldCsv)
      expect(shownOf([...before, deleted, ...again(7200)])).toEqual(RESTORED)
    })

    test('an object that was deleted before the snapshot stays deleted', () => {
      const cdi = (seconds: number): ObjectObservation =>
        sight({ uid: 'cdi', name: 'cdi', rv: 950, seconds, change: 'listed' }, operandFacts('cdis', {}))
      const deleted = sight({ ...OLD_CSV, rv: 905, seconds: -300, change: 'deleted' }, oldCsv)
      const wrong = sight({ ...OLD_CSV, rv: 2300, seconds: 100 }, oldCsv)
      const { gone, states } = csvOf([...before, deleted, wrong, cdi(-200), cdi(6900), ...again(7200).slice(1)])
      expect(gone).toEqual({ atMs: at(-300), sinceMs: at(-300) })
      expect(states.some(({ isRestored }) => isRestored === true)).toBe(false)
    })

    test('an object that is older than the snapshot, and never changes, stays', () => {
      const cdi = sight(
        { uid: 'cdi', name: 'cdi', rv: 950, seconds: -500 },
        operandFacts('cdis', { observedVersion: 'v1.64' }),
      )
      const { cluster } = deriveCluster(observations({ objects: [...before, cdi, ...again(7200)] }))
      expect(cluster.versions).toMatchObject({ cdi: 'v1.64' })
    })

    test.each<readonly [string, readonly ObjectObservation[]]>([
      ['one object alone', again(7200).slice(0, 1)],
      [
        'reports that a clock explains',
        again(840 + 45 * 60 - 1)
          .slice(1, 2)
          .concat(again(2500).slice(2)),
      ],
      ['changes that are delivered late', again(7200, 'modified')],
      [
        'objects of which the newer states are observed later',
        [...again(7200), ...before.slice(3).map((one) => ({ ...one, observedMs: one.observedMs + 9_000_000 }))],
      ],
    ])('%s are no restore', (_, old) => {
      expect(shownOf([...before, ...old])).toEqual(UPGRADED)
    })

    test('of which one is newer than the undone state of another: two reports in a wrong order', () => {
      const cdi = (rv: number, seconds: number, observedVersion: string): ObjectObservation =>
        sight({ uid: 'cdi', name: 'cdi', rv, seconds, change: 'listed' }, operandFacts('cdis', { observedVersion }))
      const cdis = [cdi(4000, -600, 'v1.63'), cdi(5000, 700, 'v1.64'), cdi(4000, 7200, 'v1.63')]
      const objects = [...before, ...again(7200).slice(1, 2), ...cdis]
      expect(shownOf(objects)).toEqual(UPGRADED)
      expect(deriveCluster(observations({ objects })).cluster.versions).toMatchObject({ cdi: 'v1.64' })
    })
  })

  test('the order of arrival and repeats do not matter', () => {
    const objects = [...before, ...restored]
    const want = JSON.stringify(deriveCluster(observations({ objects })))
    expect(JSON.stringify(deriveCluster(observations({ objects: [...objects, ...objects].reverse() })))).toBe(want)
  })

  test("a Collector's clock that is set back is no restore", () => {
    const objects = before.map((one) => ({
      ...one,
      observedMs: one.observedMs + (one.observedMs < at(500) ? 1_200_000 : 0),
    }))
    expect(upgradesOf({ objects })).toEqual([expect.stringMatching(/^1.16.0 > 1.17.0 succeeded 0-84[01]$/)])
    expect(deriveCluster(observations({ objects })).cluster.hcoVersion).toBe('1.17.0')
  })

  test('one object in a wrong order is no restore', () => {
    const objects = [...before, restored[0]!]
    expect(deriveCluster(observations({ objects })).cluster.hcoVersion).toBe('1.17.0')
  })
})

describe('wrong clocks', () => {
  const kubevirt = (seconds: number, observedVersion: string): ObjectObservation =>
    sight(
      { uid: 'kubevirt-1', name: 'kubevirt-kubevirt-hyperconverged', rv: 3000 + seconds, seconds },
      operandFacts('kubevirts', { observedVersion }),
    )
  const objects = [
    kubevirt(-60, 'v1.6.2'),
    sight({ ...HCO, rv: 1900, seconds: -60, change: 'listed' }, hcoFacts('1.16.0', settled(-90_000))),
    ...goldenUpgrade(),
    kubevirt(700, 'v1.7.1'),
  ]
  const kubevirtOf = (shifted: readonly ObjectObservation[]): string | undefined =>
    deriveCluster(observations({ objects: shifted }))
      .intervals.filter(({ operator, version }) => operator === 'kubevirt' && version === 'v1.7.1')
      .map(({ fromMs }) => String((fromMs - at(0)) / 1000))[0]
  const resolutionOf = (shifted: readonly ObjectObservation[]): number =>
    deriveCluster(observations({ objects: shifted })).upgrades[0]!.upgrade.resolutionSeconds

  test.each([-1200, -400, 400, 1200])("the Collector's is %i s ahead: times are those of the cluster", (seconds) => {
    const shifted = objects.map((one) => ({ ...one, observedMs: one.observedMs + seconds * 1000 }))
    expect(upgradesOf({ objects: shifted })).toEqual([GOLDEN])
    expect(kubevirtOf(shifted)).toBe('700')
    expect(resolutionOf(shifted)).toBe(1)
  })

  /** The times that HCO writes. */
  const byHco = (seconds: number): readonly ObjectObservation[] =>
    objects.map((one) => {
      if (one.facts.kind !== 'hyperconvergeds') return one
      const conditions = one.facts.conditions.map((condition) => ({
        ...condition,
        lastTransitionMs: condition.lastTransitionMs! + seconds * 1000,
      }))
      return { ...one, facts: { ...one.facts, conditions } }
    })

  test.each([-1200, -400, 400, 1200])(
    "that of HCO's node is %i s ahead: the times of others stay, and the accuracy is not claimed",
    (seconds) => {
      const shifted = byHco(seconds)
      expect(kubevirtOf(shifted)).toBe('700')
      const [upgrade] = deriveCluster(observations({ objects: shifted })).upgrades
      expect(upgrade!.upgrade).toMatchObject({ to: '1.17.0', state: 'succeeded', startedMs: at(0) })
      const errorSeconds = Math.abs(upgrade!.upgrade.endedMs! - at(840)) / 1000
      expect(upgrade!.upgrade.resolutionSeconds).toBeGreaterThanOrEqual(Math.max(errorSeconds, Math.abs(seconds) - 2))
    },
  )
})

describe('a Collector that reports old changes when it starts', () => {
  const OLD: readonly Step[] = [
    ['Pending', 'RequirementsNotMet', -3_000_090],
    ['Installing', 'InstallSucceeded', -3_000_060],
    ['Installing', 'InstallWaiting', -3_000_030],
    ['Succeeded', 'InstallSucceeded', -3_000_000],
  ]
  const oldCsvs = OLD.map((_, i) => {
    const csv = { uid: 'old-csv', name: csvName('1.16.0'), rv: 100 + i, seconds: -60 + i }
    return sight(csv, csvFacts('1.16.0', OLD.slice(0, i + 1), { createdMs: at(-3_000_100) }))
  })
  const oldSsps = [-90_000, -89_990, -89_980, -89_970].map((second, i) => {
    const conditions = [condition('Available', 'True', 'available', '', second)]
    return sight({ uid: 'ssp', name: 'ssp', rv: 200 + i, seconds: -60 + i }, operandFacts('ssps', { conditions }))
  })

  test.each<readonly [string, readonly ObjectObservation[]]>([
    ['states of a CSV from a month ago', oldCsvs],
    ['states of SSP from yesterday', oldSsps],
  ])('%s are no doubt about a clock', (_, old) => {
    // The offer of the next version: no other object contains a time.
    const subscription = (rv: number, seconds: number, csv: string): ObjectObservation =>
      sight(
        { uid: 'sub', name: 'hco', rv, seconds },
        {
          kind: 'subscriptions',
          package: 'community-kubevirt-hyperconverged',
          channel: 'stable',
          approval: 'Manual',
          source: 'community',
          state: csv === '1.16.0' ? 'AtLatestKnown' : 'UpgradePending',
          currentCsv: csvName(csv),
          installedCsv: csvName('1.16.0'),
          installPlan: 'install-1',
          conditions: [],
        },
      )
    const objects = [
      sight({ ...HCO, rv: 50, seconds: -60, change: 'listed' }, hcoFacts('1.16.0', settled(-90_000))),
      ...old,
      subscription(300, -30, '1.16.0'),
      subscription(301, 600, '1.17.0'),
    ]
    const upgrade = deriveCluster(observations({ objects })).upgrades.at(-1)!.upgrade
    expect(upgrade).toMatchObject({ to: '1.17.0', state: 'in_progress' })
    expect(upgrade.phases[0]).toMatchObject({ name: 'offered', startedMs: at(600), resolutionSeconds: 1 })
  })
})

describe('a Prometheus with a wrong clock', () => {
  /** Scraped every 30 s. */
  const metrics = [
    run('csv_succeeded', { version: '1.16.0' }, 1, { first: -9000, last: -15, after: 15 }),
    run('csv_succeeded', { version: '1.16.0' }, 0, { first: 15, last: 75, before: -15, after: 105 }),
    run('csv_succeeded', { version: '1.17.0' }, 0, { first: 15, last: 75, before: -15, after: 105 }),
    run('csv_succeeded', { version: '1.17.0' }, 1, { first: 105, last: 9000, before: 75 }),
  ]
  const shiftedBy = (seconds: number) =>
    metrics.map((one) => ({
      ...one,
      firstMs: one.firstMs + seconds * 1000,
      lastMs: one.lastMs + seconds * 1000,
      ...(one.beforeMs !== undefined && { beforeMs: one.beforeMs + seconds * 1000 }),
      ...(one.afterMs !== undefined && { afterMs: one.afterMs + seconds * 1000 }),
    }))

  test.each([-1200, -900, -360, 0, 360, 900, 1200])('that is %i s ahead: one upgrade', (seconds) => {
    expect(upgradesOf({ objects: goldenUpgrade(), metrics: shiftedBy(seconds) })).toEqual([GOLDEN])
  })

  test.each([-1200, 1200])('that is %i s ahead: one upgrade also while the CSV is being installed', (seconds) => {
    const objects = goldenUpgrade().filter(({ observedMs }) => observedMs < at(60))
    const begun = shiftedBy(seconds).slice(0, 3)
    expect(upgradesOf({ objects, metrics: begun })).toEqual(['1.16.0 > 1.17.0 in_progress 0-?'])
  })

  test('an upgrade that only metrics report, hours later, is another one', () => {
    const later = [
      ...shiftedBy(1200).slice(0, 3),
      run('csv_succeeded', { version: '1.17.0' }, 1, { first: 1305, last: 50_000, before: 1275, after: 50_030 }),
      run('csv_succeeded', { version: '1.18.0' }, 0, { first: 50_030, last: 50_090, before: 50_000, after: 50_120 }),
      run('csv_succeeded', { version: '1.18.0' }, 1, { first: 50_120, last: 60_000, before: 50_090 }),
    ]
    expect(upgradesOf({ objects: goldenUpgrade(), metrics: later })).toEqual([
      GOLDEN,
      expect.stringContaining('1.17.0 > 1.18.0'),
    ])
  })
})

describe('metrics of two clusters under one name, without a uid', () => {
  const succeeded = (version: string, first: number, last: number | undefined, before?: number) =>
    run('csv_succeeded', { version }, 1, {
      ...{ first, last: last ?? 30_000 },
      ...(before === undefined ? {} : { before }),
      ...(last === undefined ? {} : { after: last + 30 }),
    })
  const problemsOf = (metrics: readonly MetricRun[]): readonly string[] => {
    const { problems = [] } = deriveCluster(observations({ metrics })).cluster
    return problems.map(({ cause, reason = '', text }) => `${cause} ${reason}: ${text}`)
  }
  /** Four changes between two clusters, an hour of deliveries each. */
  const inTurn = [
    succeeded('1.16.0', 0, 3570),
    succeeded('1.17.0', 3600, 7170, 3570),
    succeeded('1.16.0', 7200, 10_770, 7170),
    succeeded('1.17.0', 10_800, 14_370, 10_770),
    succeeded('1.16.0', 14_400, 17_970, 14_370),
  ]

  test('that come in turn make no upgrades', () => {
    expect(upgradesOf({ metrics: inTurn })).toEqual([])
    expect(problemsOf(inTurn)).toEqual([
      'identity_conflict mixed_metrics: Metrics report the versions 1.16.0 and 1.17.0 in turn: two clusters send under one name. No upgrade is derived from these metrics. Give each cluster a name and a token of its own.',
    ])
  })

  test('an upgrade, a restore and the same upgrade again are what they are', () => {
    expect(upgradesOf({ metrics: inTurn.slice(0, 4) })).toHaveLength(3)
    expect(problemsOf(inTurn.slice(0, 4))).toEqual([])
    // Slowly, back and forth: a cluster that is installed again for each test.
    const slow = inTurn.map((one, i) => succeeded(one.labels['version']!, i * 7230, i * 7230 + 7200, i * 7230 - 30))
    expect(upgradesOf({ metrics: slow })).toHaveLength(4)
    expect(problemsOf(slow)).toEqual([])
  })

  test('that come at once make none either, also when one of the clusters is upgraded', () => {
    const atOnce = [
      succeeded('1.16.0', 0, undefined),
      succeeded('1.17.0', 3600, 9000, 3570),
      succeeded('1.18.0', 9030, undefined, 9000),
    ]
    expect(upgradesOf({ metrics: atOnce })).toEqual([])
    expect(problemsOf(atOnce)).toEqual([
      expect.stringMatching(
        /^identity_conflict mixed_metrics: Metrics report the versions 1.16.0 and 1.18.0 at once: /,
      ),
    ])
    expect(deriveCluster(observations({ metrics: atOnce })).cluster.problems?.[0]?.sinceMs).toBe(at(9030))
  })

  test('an old series that goes stale late is no second cluster', () => {
    const upgrade = (stale: number) => [
      succeeded('1.16.0', 0, 3600 + stale - 30),
      succeeded('1.17.0', 3600, undefined, 3570),
    ]
    expect(upgradesOf({ metrics: upgrade(900) })).toHaveLength(1)
    expect(problemsOf(upgrade(900))).toEqual([])
    expect(upgradesOf({ metrics: upgrade(901) })).toEqual([])
  })
})

describe('claims of names that were refused', () => {
  const UID = '6f3c1d52-9f0e-4c1b-8a53-0d6c5a1e7b10'
  const conflict = (more: Partial<ClusterClaim> = {}): ClusterClaim => ({
    ...{ cluster: observations({}).cluster, name: UID, kind: 'uid', joins: true, isBound: false },
    ...{ refusal: 'other_identity', firstMs: at(100), lastMs: at(900) },
    ...more,
  })
  const problemsOf = (conflicts: readonly ClusterClaim[]) => {
    const { problems = [], refusedAliases } = deriveCluster({
      ...observations({ objects: goldenUpgrade() }),
      conflicts,
    }).cluster
    return [problems.map(({ reason, text, sinceMs }) => `${sinceMs} ${reason ?? ''}: ${text}`), refusedAliases]
  }
  const { cluster } = conflict()

  test.each<[Partial<ClusterClaim>, string, readonly string[] | undefined]>([
    [{}, `Data with the uid of kube-system "${UID}" is refused: the cluster has another one.`, undefined],
    [{ refusal: 'taken', kind: 'id' }, `The cluster ID "${UID}" is refused: another cluster has or claims it.`, [UID]],
    [{ refusal: 'too_many', kind: 'name' }, `The name "${UID}" is refused: the cluster has too many names.`, undefined],
    [{ refusal: 'taken', cluster: 'berlin', name: cluster }, `"berlin" also claims the uid of kube-system`, undefined],
  ])('%j is a problem of the cluster', (more, text, refused) => {
    expect(problemsOf([conflict(more)])).toEqual([[expect.stringContaining(text)], refused])
  })

  test('until two hours after the last one', () => {
    const newestMs = observations({ objects: goldenUpgrade() }).objects.reduce(
      (ms, one) => Math.max(ms, one.observedMs),
      0,
    )
    const after = (ms: number) => problemsOf([conflict({ lastMs: newestMs - ms })])[0]
    expect([after(2 * 3_600_000), after(2 * 3_600_000 + 1)]).toEqual([[expect.stringContaining(UID)], []])
    expect(problemsOf([conflict({ cluster: 'berlin', name: cluster })])[0]).toEqual([])
  })
})
