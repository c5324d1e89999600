import { describe, expect, test } from 'vitest'
import {
  defaultTarget,
  knownTargets,
  nextTarget,
  parseTarget,
  positionOf,
  targetText,
} from '../../../src/fleet/readiness/target.ts'
import { hazardClusterOf } from '../../../src/fleet/readiness/findings.ts'
import { RELEASES } from '../../../src/fleet/releases.ts'
import { emptyRecord } from '../../support/cluster-record.ts'

const HCO = 'kubevirt-hyperconverged'

describe('targets', () => {
  test.each([
    ['1.18.1', { operator: HCO, version: '1.18.1', minor: 18, patch: 1 }],
    ['v1.18.1', { operator: HCO, version: '1.18.1', minor: 18, patch: 1 }],
    ['4.22.1', { operator: HCO, version: '1.18.1', minor: 18, patch: 1 }],
    ['5.0.0', { operator: HCO, version: '1.19.0', minor: 19, patch: 0 }],
    ['openshift 4.20.3', { operator: 'openshift', version: '4.20.3', minor: 20, patch: 3 }],
    ['openshift-4.20', { operator: 'openshift', version: '4.20.0', minor: 20, patch: 0 }],
    ['openshift:5.1.0', { operator: 'openshift', version: '5.1.0', minor: 24, patch: 0 }],
    // A minor is its newest known release.
    ['1.15', { operator: HCO, version: '1.15.2', minor: 15, patch: 2 }],
    ['1.99', { operator: HCO, version: '1.99.0', minor: 99, patch: 0 }],
    ['openshift 3.11.0', undefined],
    ['2.0.0', undefined],
    ['nonsense', undefined],
    ['1.18.0; rm', undefined],
    ['', undefined],
  ])('%s', (text, target) => {
    expect(parseTarget(text, RELEASES)).toEqual(target)
    if (target !== undefined) expect(parseTarget(targetText(target as never), RELEASES)).toEqual(target)
  })

  const openshift = (version: string, hcoVersion = '4.20.1') =>
    emptyRecord('c', { hcoVersion, platform: { kind: 'openshift', version } })

  test.each([
    ['1.16.1', openshift('4.20.0'), 'reached'],
    ['1.16.2', openshift('4.20.0'), 'candidate'],
    ['1.15.9', openshift('4.20.0'), 'reached'],
    ['1.17.0', emptyRecord('c', { versions: { kubevirt: 'v1.6.0' } }), 'other'],
    ['1.17.0', emptyRecord('c'), 'unknown'],
    ['openshift 4.20.1', openshift('4.20.0'), 'candidate'],
    ['openshift 4.20.0', openshift('4.20.0'), 'reached'],
    ['openshift 5.0.0', openshift('4.22.9'), 'candidate'],
    ['openshift 4.20.0', emptyRecord('c', { platform: { kind: 'kubernetes' } }), 'other'],
    ['openshift 4.20.0', emptyRecord('c'), 'unknown'],
    ['openshift 4.20.0', emptyRecord('c', { platform: { kind: 'openshift' } }), 'unknown'],
  ] as const)('for %s a cluster is where it is: %#', (to, record, position) => {
    const cluster = hazardClusterOf({ record, modifications: [], upgrades: [], alerts: undefined, nowMs: 0 })
    expect(positionOf(cluster, parseTarget(to, RELEASES)!)).toBe(position)
  })

  test('known are releases, imported versions and those of the fleet, the newest first', () => {
    const records = [openshift('4.20.3', '1.99.1'), openshift('4.9.0'), emptyRecord('k')]
    const versions = knownTargets(RELEASES, records, ['4.21.0']).map(targetText)
    expect(versions[0]).toBe('1.99.1')
    expect(versions.filter((one) => one.startsWith('openshift'))).toEqual([
      'openshift 4.21.0',
      'openshift 4.20.3',
      'openshift 4.9.0',
    ])
    expect(new Set(versions).size).toBe(versions.length)
  })

  test('the default is the newest version in use, else the newest release; the next minor is its newest release', () => {
    expect(defaultTarget([openshift('4.20.0', '4.20.1'), openshift('4.20.0', '1.16.0')]).version).toBe('1.16.1')
    expect(defaultTarget([])).toEqual(parseTarget(RELEASES.at(-1)!.version, RELEASES))
    expect(nextTarget({ hcoVersion: '4.18.0' })!.version).toBe('1.15.2')
    expect(nextTarget({})).toBeUndefined()
  })
})
