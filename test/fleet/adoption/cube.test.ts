import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { AdoptionCube, DIMENSIONS } from '../../../src/fleet/adoption/cube.ts'
import { adoptionOfDay, usageOfDay } from '../../../src/fleet/adoption/cube-of-day.ts'
import { addDays, dayOf, dayStartMs, daysBetween, isDay } from '../../../src/fleet/adoption/day.ts'
import { minorOf } from '../../../src/fleet/version-order.ts'
import type { AdoptionRow } from '../../../src/model/adoption.ts'
import { clusterRan, ran, recordOf } from './fleet.ts'

const LATER_MS = dayStartMs('2027-01-01')
const HCO = 'kubevirt-hyperconverged'

describe('the rows of a day', () => {
  test('count what ran when the day ended', () => {
    const fleet = [
      clusterRan('a', [
        ['2026-03-01', '1.16.0'],
        ['2026-03-05', '1.17.0'],
      ]),
      clusterRan('b', [['2026-03-01', '1.16.0']]),
    ]
    const versions = (day: string) => adoptionOfDay(day, fleet, LATER_MS).map((row) => [row.version, row.clusters])
    expect(versions('2026-03-04')).toEqual([['1.16.0', 2]])
    expect(versions('2026-03-05')).toEqual([
      ['1.16.0', 1],
      ['1.17.0', 1],
    ])
  })

  test('a cluster that told no version is counted and has none; one not yet or no longer seen is not counted', () => {
    const fleet = [
      { record: recordOf('silent about it'), intervals: [] },
      clusterRan('later', [['2026-03-01', '1.16.0']], { firstSeenMs: dayStartMs('2026-03-06') }),
      clusterRan('gone', [['2026-03-01', '1.16.0']], { lastSeenMs: dayStartMs('2026-03-05') - 1 }),
    ]
    expect(adoptionOfDay('2026-03-05', fleet, LATER_MS)).toMatchObject([{ operator: HCO, version: '', clusters: 1 }])
  })

  test('the present day ends now', () => {
    const noonMs = dayStartMs('2026-03-05') + DAY_HALF_MS
    const { record, intervals } = clusterRan('a', [
      ['2026-03-01', '1.16.0'],
      ['2026-03-06', '1.17.0'],
    ])
    const shifted = intervals.map((one) => ({
      ...one,
      fromMs: one.fromMs - DAY_HALF_MS + 1,
      ...(one.untilMs === undefined ? {} : { untilMs: one.untilMs - DAY_HALF_MS + 1 }),
    }))
    const versionAt = (nowMs: number) =>
      adoptionOfDay('2026-03-05', [{ record, intervals: shifted }], nowMs).map(({ version }) => version)
    expect([versionAt(noonMs), versionAt(noonMs + 1)]).toEqual([['1.16.0'], ['1.17.0']])
  })

  test('clusters that differ in any dimension are rows of their own, and machines are summed', () => {
    const more = { region: 'eu', subscription: subscription('stable'), platform: { kind: 'openshift' } as const }
    const fleet = [
      clusterRan('a', [['2026-03-01', '1.16.0']], { ...more, workloads: { running: 10, outdated: 4, atMs: 0 } }),
      clusterRan('b', [['2026-03-01', '1.16.0']], { ...more, workloads: { running: 5, outdated: 0, atMs: 0 } }),
      clusterRan('c', [['2026-03-01', '1.16.0']], { ...more, region: 'us' }),
    ]
    expect(adoptionOfDay('2026-03-05', fleet, LATER_MS)).toMatchObject([
      { region: 'eu', channel: 'stable', platform: 'openshift', clusters: 2, vms: 15, outdatedVms: 4 },
      { region: 'us', clusters: 1, vms: 0 },
    ])
  })

  test('the platform is the one of that day', () => {
    const platform = { kind: 'openshift', version: '4.20.9' } as const
    const intervals = [
      ...ran('a', HCO, [['2026-03-01', '1.16.0']]),
      ...ran('a', 'openshift', [
        ['2026-03-01', '4.19.3'],
        ['2026-03-05', '4.20.9'],
      ]),
    ]
    const of = (day: string) =>
      adoptionOfDay(day, [{ record: recordOf('a', { platform }), intervals }], LATER_MS).find(
        ({ operator }) => operator === HCO,
      )?.platform
    expect([of('2026-03-04'), of('2026-03-05')]).toEqual(['openshift 4.19', 'openshift 4.20'])
  })

  test('usage is summed over the clusters that use it', () => {
    const fleet = [
      clusterRan('a', [], { instanceTypes: { 'u1.small': 3 }, deprecatedApis: { 'kubevirt.io/v1alpha3': 7 } }),
      clusterRan('b', [], { instanceTypes: { 'u1.small': 2, 'u1.large': 1 } }),
    ]
    expect(usageOfDay('2026-03-05', fleet, LATER_MS)).toEqual([
      { day: '2026-03-05', subject: 'deprecated_api', name: 'kubevirt.io/v1alpha3', clusters: 1, count: 7 },
      { day: '2026-03-05', subject: 'instance_type', name: 'u1.large', clusters: 1, count: 1 },
      { day: '2026-03-05', subject: 'instance_type', name: 'u1.small', clusters: 2, count: 5 },
    ])
  })
})

const DAY_HALF_MS = 43_200_000

function subscription(channel: string) {
  return { package: 'p', channel, approval: 'Automatic', source: 's', state: '' }
}

describe('days', () => {
  test('follow each other over months and leap years', () => {
    expect(daysBetween('2024-02-28', '2024-03-01')).toEqual(['2024-02-28', '2024-02-29', '2024-03-01'])
    expect(daysBetween('2026-03-02', '2026-03-01')).toEqual([])
    expect(addDays('2026-01-01', -1)).toBe('2025-12-31')
    expect(dayOf(dayStartMs('2026-11-21') + 86_399_999)).toBe('2026-11-21')
  })

  test.each(['2026-02-30', '2026-2-3', 'today', '', '2026-11-21T00:00:00Z'])('%j is none', (text) => {
    expect(isDay(text)).toBe(false)
  })
})

describe('the cube', () => {
  const pick = (values: readonly string[]) => fc.constantFrom(...values)
  const row = fc.record<AdoptionRow>({
    day: fc.nat(20).map((days) => addDays('2026-02-20', days)),
    operator: fc.constant(HCO),
    version: pick(['1.16.0', '1.17.0', '1.17.1', '']),
    channel: pick(['stable', 'candidate', '']),
    platform: pick(['openshift 4.20', 'kubernetes', '']),
    region: pick(['eu', 'us']),
    flavour: pick(['community', 'openshift']),
    environment: pick(['prod', '']),
    clusters: fc.nat(9),
    vms: fc.nat(99),
    outdatedVms: fc.nat(9),
  })
  const filter = fc.record(
    { version: fc.subarray(['1.16.0', '1.17.0', '']), region: fc.subarray(['eu', 'us', 'none']) },
    { requiredKeys: [] },
  )

  test('sums are those of its rows, whatever is asked', () => {
    const days = fc.nat(30).map((n) => addDays('2026-02-15', n))
    fc.assert(
      fc.property(
        fc.array(row, { maxLength: 40 }),
        filter,
        pick(DIMENSIONS),
        days,
        days,
        (rows, wanted, by, one, two) => {
          const [from, to] = one < two ? [one, two] : [two, one]
          const dimension = by as (typeof DIMENSIONS)[number]
          const sums = new AdoptionCube(rows).sums(dimension, from, to, wanted)
          const valueOf = (one: AdoptionRow) => (dimension === 'minor' ? minorOf(one.version) : one[dimension])
          const passing = rows.filter(
            (one) =>
              (wanted.version === undefined || wanted.version.includes(one.version)) &&
              (wanted.region === undefined || wanted.region.includes(one.region)),
          )
          const sumOf = (day: string, value: string | undefined, of: 'clusters' | 'vms' | 'outdatedVms') =>
            passing
              .filter((one) => one.day === day && (value === undefined || valueOf(one) === value))
              .reduce((sum, one) => sum + one[of], 0)
          expect(sums.days).toEqual(daysBetween(from, to))
          expect([...sums.known]).toEqual(sums.days.map((day) => sumOf(day, undefined, 'clusters')))
          for (const [i, value] of sums.values.entries()) {
            for (const of of ['clusters', 'vms', 'outdatedVms'] as const) {
              expect([...sums[of][i]!]).toEqual(sums.days.map((day) => sumOf(day, value, of)))
            }
          }
        },
      ),
      { numRuns: 150 },
    )
  })

  test('of nothing says nothing', () => {
    const cube = new AdoptionCube([])
    expect(cube.range).toBeUndefined()
    expect(cube.sums('version', '2026-01-01', '2026-01-02')).toMatchObject({ values: [], known: new Float64Array(2) })
  })
})
