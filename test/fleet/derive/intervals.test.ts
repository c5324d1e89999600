import { describe, expect, test } from 'vitest'
import { clusterHistory } from '../../../src/fleet/derive/cluster-history.ts'
import { deriveIntervals } from '../../../src/fleet/derive/intervals.ts'
import type { VersionInterval } from '../../../src/model/cluster-record.ts'
import type { ClusterObservations } from '../../../src/model/observation.ts'
import { at, csv, hyperConverged, look, observed, operand, run, T0 } from './observed.ts'

/** `1.16.0 ?10..840 ±1`: from 10 s (not known to be the start) until 840 s, exact to a second. */
function shown(intervals: readonly VersionInterval[], operator: string): readonly string[] {
  const seconds = (timeMs: number): number => (timeMs - T0) / 1000
  return intervals
    .filter((interval) => interval.operator === operator)
    .map(({ version, fromMs, isStartKnown, untilMs, resolutionSeconds }) => {
      const until = untilMs === undefined ? '' : seconds(untilMs)
      return `${version} ${isStartKnown ? '' : '?'}${seconds(fromMs)}..${until} ±${resolutionSeconds}`
    })
}

const intervalsOf = (observations: ClusterObservations): readonly VersionInterval[] =>
  deriveIntervals(clusterHistory(observations), [])
const CSV_NAME = 'kubevirt-hyperconverged-operator.v1.16.0'
const hco = (operatorVersion?: string) => hyperConverged(operatorVersion === undefined ? {} : { operatorVersion })

describe('from objects', () => {
  test.each([
    ['found running', [look(10, hco('1.16.0'), { change: 'added' })], ['1.16.0 ?10.. ±1']],
    [
      'seen from its creation',
      [look(10, hyperConverged({ operatorVersion: '1.16.0', createdMs: at(9) }), { change: 'added' })],
      ['1.16.0 10.. ±1'],
    ],
    [
      'installed: the version comes last',
      [look(10, hco(), { change: 'added' }), look(300, hco('1.16.0'))],
      ['1.16.0 300.. ±1'],
    ],
    [
      'upgraded and rolled back',
      [look(10, hco('1.16.0')), look(840, hco('1.17.0')), look(2000, hco('1.16.0'))],
      ['1.16.0 ?10..840 ±1', '1.17.0 840..2000 ±1', '1.16.0 2000.. ±1'],
    ],
    [
      'found changed by a pull: exact to the pause',
      [look(10, hco('1.16.0'), { change: 'listed' }), look(1810, hco('1.17.0'), { change: 'listed' })],
      ['1.16.0 ?10..1810 ±1', '1.17.0 1810.. ±1800'],
    ],
    ['gone', [look(10, hco('1.16.0')), look(90, hco('1.16.0'), { change: 'deleted' })], ['1.16.0 ?10..90 ±1']],
    ['no version told', [look(10, hco())], []],
  ])('%s', (_name, objects, want) => {
    expect(shown(intervalsOf(observed(objects)), 'kubevirt-hyperconverged')).toEqual(want)
  })

  test('an older state that arrives by a late look was there before the newer one', () => {
    const objects = [
      look(500, hco('1.16.0'), { version: 5, change: 'listed' }),
      look(100, hco('1.17.0'), { version: 6 }),
    ]
    expect(shown(intervalsOf(observed(objects)), 'kubevirt-hyperconverged')).toEqual(['1.17.0 100.. ±1'])
  })

  test('an absence ends the interval, unless the object was seen again', () => {
    const objects = [look(10, hco('1.16.0'))]
    const { uid } = objects[0]!
    const absence = { cluster: 'c-1', kind: 'hyperconvergeds', uid, lastSeenMs: at(10), absentMs: at(3600) } as const
    const gone = intervalsOf(observed(objects, [], [absence]))
    expect(shown(gone, 'kubevirt-hyperconverged')).toEqual(['1.16.0 ?10..3600 ±1'])
    const seenAgain = [...objects, look(4000, hco('1.16.0'))]
    const there = intervalsOf(observed(seenAgain, [], [absence]))
    expect(shown(there, 'kubevirt-hyperconverged')).toEqual(['1.16.0 ?10.. ±1'])
  })

  test('operands by their observed version, under their own names', () => {
    const intervals = intervalsOf(
      observed([
        look(10, operand('kubevirts', { observedVersion: 'v1.6.0' })),
        look(400, operand('kubevirts', { observedVersion: 'v1.7.0', targetVersion: 'v1.7.0' })),
        look(10, operand('networkaddonsconfigs', { observedVersion: '0.100.0' })),
      ]),
    )
    expect(shown(intervals, 'kubevirt')).toEqual(['v1.6.0 ?10..400 ±1', 'v1.7.0 400.. ±1'])
    expect(shown(intervals, 'network-addons')).toEqual(['0.100.0 ?10.. ±1'])
  })

  test('without HyperConverged, a CSV that succeeded stands for it', () => {
    const objects = [
      look(10, csv('1.16.0', { phase: 'Installing' }), { name: CSV_NAME, change: 'added' }),
      look(95, csv('1.16.0', { lastTransitionMs: at(94) }), { name: CSV_NAME }),
    ]
    expect(shown(intervalsOf(observed(objects)), 'kubevirt-hyperconverged')).toEqual(['1.16.0 94.. ±1'])
  })

  test('the platform remembers what it completed', () => {
    const facts = {
      kind: 'clusterversions',
      clusterId: 'id',
      channel: 'stable-4.20',
      desiredVersion: '4.20.3',
      conditions: [],
      availableUpdates: [],
      history: [
        { state: 'Partial', version: '4.20.3', startedMs: at(9000) },
        { state: 'Completed', version: '4.19.9', startedMs: at(-5000), completedMs: at(-1000) },
        { state: 'Completed', version: '4.18.1', startedMs: at(-90000), completedMs: at(-80000) },
      ],
    } as const
    expect(shown(intervalsOf(observed([look(9100, facts)])), 'openshift')).toEqual([
      '4.18.1 -80000..-1000 ±1',
      '4.19.9 -1000.. ±1',
    ])
  })
})

describe('from metrics', () => {
  const succeeded = (version: string, value: number, span: readonly [number, number], ends = {}) =>
    run('csv_succeeded', { version }, value, span, ends)

  test.each([
    ['there from the beginning', [succeeded('1.16.0', 1, [0, 600])], ['1.16.0 ?0.. ±0']],
    ['installed while scraped', [succeeded('1.16.0', 1, [30, 600], { before: 0 })], ['1.16.0 30.. ±30']],
    [
      'between two CSVs the old version still runs',
      [
        succeeded('1.16.0', 1, [0, 60], { after: 90 }),
        succeeded('1.16.0', 0, [90, 120], { before: 60, after: 150 }),
        succeeded('1.17.0', 0, [60, 120], { before: 30, after: 150 }),
        succeeded('1.17.0', 1, [150, 600], { before: 120 }),
      ],
      ['1.16.0 ?0..150 ±0', '1.17.0 150.. ±30'],
    ],
    [
      'a CSV that fails and recovers is no new version',
      [
        succeeded('1.16.0', 1, [0, 60], { after: 90 }),
        succeeded('1.16.0', 0, [90, 120], { before: 60, after: 150 }),
        succeeded('1.16.0', 1, [150, 600], { before: 120 }),
      ],
      ['1.16.0 ?0.. ±0'],
    ],
  ])('HCO: %s', (_name, runs, want) => {
    expect(shown(intervalsOf(observed([], runs)), 'kubevirt-hyperconverged')).toEqual(want)
  })

  test('KubeVirt has a version when all nodes have it', () => {
    const nodes = (kubeversion: string, value: number, span: readonly [number, number], ends = {}) =>
      run('kubevirt_nodes', { kubeversion }, value, span, ends)
    const runs = [
      nodes('v1.6.0', 3, [0, 60], { after: 90 }),
      nodes('v1.6.0', 2, [90, 120], { before: 60, after: 150 }),
      nodes('v1.7.0', 1, [90, 120], { before: 60, after: 150 }),
      nodes('v1.7.0', 3, [150, 600], { before: 120 }),
    ]
    expect(shown(intervalsOf(observed([], runs)), 'kubevirt')).toEqual(['v1.6.0 ?0..150 ±0', 'v1.7.0 150.. ±30'])
  })

  test('the platform says to the second when it was completed', () => {
    const runs = [
      run('platform', { type: 'completed', version: '4.19.9' }, at(-1000) / 1000, [0, 300], { after: 330 }),
      run('platform', { type: 'completed', version: '4.20.3' }, at(310) / 1000, [330, 600], { before: 300 }),
    ]
    expect(shown(intervalsOf(observed([], runs)), 'openshift')).toEqual(['4.19.9 -1000..310 ±1', '4.20.3 310.. ±1'])
  })
})

describe('from both', () => {
  const succeeded = (version: string, span: readonly [number, number], ends = {}) =>
    run('csv_succeeded', { version }, 1, span, ends)

  test('metrics before the first object, objects then', () => {
    const runs = [succeeded('1.15.0', [0, 60], { after: 90 }), succeeded('1.16.0', [90, 5000], { before: 60 })]
    const objects = [look(1000, hco('1.16.0'), { change: 'added' }), look(2000, hco('1.17.0'))]
    expect(shown(intervalsOf(observed(objects, runs)), 'kubevirt-hyperconverged')).toEqual([
      '1.15.0 ?0..90 ±0',
      '1.16.0 90..2000 ±30',
      '1.17.0 2000.. ±1',
    ])
  })

  test('metrics go on where objects ended', () => {
    const runs = [succeeded('1.16.0', [0, 7000], { after: 7030 }), succeeded('1.17.0', [7030, 9000], { before: 7000 })]
    const objects = [look(1000, hco('1.16.0'), { change: 'added' })]
    expect(shown(intervalsOf(observed(objects, runs)), 'kubevirt-hyperconverged')).toEqual([
      '1.16.0 ?0..7030 ±0',
      '1.17.0 7030.. ±30',
    ])
  })
})

test('nothing told, nothing said', () => {
  expect(intervalsOf(observed())).toEqual([])
})
