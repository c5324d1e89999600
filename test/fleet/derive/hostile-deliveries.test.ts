/** Deliveries that contradict themselves or the cluster: made-up uids, reinstallations, restored etcd, wrong clocks. */
import { describe, expect, test } from 'vitest'
import { deriveCluster } from '../../../src/fleet/derive/derive-cluster.ts'
import type { ObjectObservation } from '../../../src/model/observation.ts'
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
