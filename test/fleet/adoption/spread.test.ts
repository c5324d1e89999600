import { describe, expect, test } from 'vitest'
import { behindOf } from '../../../src/fleet/adoption/behind.ts'
import { AdoptionCube } from '../../../src/fleet/adoption/cube.ts'
import { addDays } from '../../../src/fleet/adoption/day.ts'
import { olderThan, sharesOf, type Shares } from '../../../src/fleet/adoption/share.ts'
import { spreadsOf } from '../../../src/fleet/adoption/spread.ts'
import { compareVersions } from '../../../src/fleet/version-order.ts'
import type { AdoptionRow } from '../../../src/model/adoption.ts'

const FIRST = '2026-03-01'
const NEWEST_FIRST = (a: string, b: string): number => compareVersions(b, a)

/** Counts of clusters by day, from the first of March on. */
function sharesOver(counts: Readonly<Record<string, readonly number[]>>): Shares {
  const rows = Object.entries(counts).flatMap(([version, byDay]) =>
    byDay.flatMap((clusters, i): AdoptionRow[] => {
      if (clusters === 0) return []
      const rest = { channel: '', platform: '', region: '', flavour: '', environment: '', vms: 0, outdatedVms: 0 }
      return [{ day: addDays(FIRST, i), operator: 'hco', version, clusters, ...rest }]
    }),
  )
  const days = Math.max(...Object.values(counts).map((byDay) => byDay.length))
  return sharesOf(new AdoptionCube(rows).sums('version', FIRST, addDays(FIRST, days - 1)), NEWEST_FIRST)
}

describe('shares', () => {
  test('have those that told a version below them, and the others beside them', () => {
    const shares = sharesOver({ '1.16.0': [6, 4], '1.17.0': [2, 4], '': [2, 0] })
    expect(shares.known).toEqual([10, 8])
    expect(shares.telling).toEqual([8, 8])
    expect(shares.series).toEqual([
      { value: '1.17.0', clusters: [2, 4], share: [0.25, 0.5] },
      { value: '1.16.0', clusters: [6, 4], share: [0.75, 0.5] },
    ])
  })

  test('of a day on which nobody told anything are no number', () => {
    expect(sharesOver({ '1.16.0': [0, 1], '': [3, 0] }).series).toEqual([
      { value: '1.16.0', clusters: [0, 1], share: [NaN, 1] },
    ])
  })

  test('older than a version is every version before it', () => {
    const shares = sharesOver({ '1.9.0': [1], '1.16.0': [3], '1.17.0': [4] })
    expect(olderThan(shares, '1.17.0', compareVersions)).toMatchObject({ clusters: [4], share: [0.5] })
    expect(olderThan(shares, '1.10.0', compareVersions)).toMatchObject({ clusters: [1], share: [0.125] })
    expect(olderThan(shares, '1.0.0', compareVersions)).toMatchObject({ clusters: [0], share: [0] })
  })
})

describe('a version spreads', () => {
  const OLD = [100, 100, 95, 80, 60, 45, 30, 20, 10, 5, 0]
  const NEW = OLD.map((clusters) => 100 - clusters)

  test('in so many days to a tenth, a half and nine tenths, and the old one halves', () => {
    const [spread, faded] = spreadsOf(sharesOver({ '1.17.0': NEW, '1.16.0': OLD }), compareVersions)
    expect(spread).toMatchObject({
      version: '1.17.0',
      firstDay: '2026-03-03',
      isStartKnown: true,
      to10Days: 1,
      to50Days: 3,
      to90Days: 6,
      peak: { share: 1, day: '2026-03-11' },
      stage: 'rising',
    })
    expect(spread!.byAge).toEqual([0.05, 0.2, 0.4, 0.55, 0.7, 0.8, 0.9, 0.95, 1])
    expect(spread).not.toHaveProperty('halfLifeDays')
    expect(faded).toMatchObject({ isStartKnown: false, halfLifeDays: 5, stage: 'gone', clusters: 0 })
  })

  test('by itself and by what came after it', () => {
    const shares = sharesOver({ '1.18.0': [0, 0, 60], '1.17.0': [0, 30, 20], '1.16.0': [100, 70, 20] })
    const middle = spreadsOf(shares, compareVersions).find(({ version }) => version === '1.17.0')
    expect(middle).toMatchObject({ to10Days: 0, to50Days: 1, peak: { share: 0.3 }, share: 0.2 })
    expect(middle).not.toHaveProperty('to90Days')
  })

  test('from a day that nobody knows, when it was there as soon as anybody told', () => {
    const spreads = spreadsOf(
      sharesOver({ '1.17.0': [0, 0, 4, 6], '1.16.0': [0, 0, 6, 3], '1.18.0': [0, 0, 0, 1] }),
      compareVersions,
    )
    expect(spreads.map(({ version, firstDay, isStartKnown }) => [version, firstDay, isStartKnown])).toEqual([
      ['1.18.0', '2026-03-04', true],
      ['1.17.0', '2026-03-03', false],
      ['1.16.0', '2026-03-03', false],
    ])
  })

  const steady = (share: number): number[] => Array.from({ length: 30 }, () => share)
  test.each([
    ['grows', [...steady(0).slice(0, 25), 10, 20, 30, 40, 50], 'rising'],
    ['stays', steady(40), 'adopted'],
    ['never was much', steady(4), 'low'],
    ['was much', [...steady(60).slice(0, 15), ...steady(20).slice(0, 15)], 'replaced'],
    ['was much, and had a few come by', [...steady(60).slice(0, 15), ...steady(10).slice(0, 14), 14], 'replaced'],
    ['is gone', [...steady(60).slice(0, 29), 0], 'gone'],
  ])('one that %s', (_, clusters, stage) => {
    const others = clusters.map((count) => 100 - count)
    const spreads = spreadsOf(sharesOver({ '1.17.0': clusters, '1.16.0': others }), compareVersions)
    expect(spreads.find(({ version }) => version === '1.17.0')).toMatchObject({ stage })
  })

  test('and one that was there before counting began is not said to rise before a week is counted', () => {
    const [fleet] = spreadsOf(sharesOver({ '1.17.0': [20], '1.16.0': [80] }), compareVersions)
    expect(fleet).toMatchObject({ isStartKnown: false, share: 0.2 })
    expect(fleet).not.toHaveProperty('stage')
    const grows = spreadsOf(sharesOver({ '1.17.0': [20, 30], '1.16.0': [80, 70] }), compareVersions)
    expect(grows[0]).toMatchObject({ stage: 'rising' })
    expect(grows[1]).not.toHaveProperty('stage')
    const week = spreadsOf(
      sharesOver({ '1.17.0': steady(20).slice(0, 8), '1.16.0': steady(80).slice(0, 8) }),
      compareVersions,
    )
    expect(week.map(({ stage }) => stage)).toEqual(['adopted', 'adopted'])
  })

  test('and the present day, which nobody has counted yet, ends nothing', () => {
    const counted = sharesOver({ '1.17.0': [...steady(10).slice(0, 8), 20], '1.16.0': [...steady(90).slice(0, 8), 80] })
    const uncounted = sharesOver({
      '1.17.0': [10, ...steady(0).slice(0, 1), ...steady(10).slice(0, 6), 20, 0],
      '1.16.0': [90, ...steady(0).slice(0, 1), ...steady(90).slice(0, 6), 80, 0],
    })
    const [before, after] = [counted, uncounted].map((shares) => spreadsOf(shares, compareVersions)[0]!)
    expect(before).toMatchObject({ stage: 'rising', clusters: 20, share: 0.2 })
    expect(after).toMatchObject({ stage: 'rising', clusters: 20, share: 0.2 })
  })
})

describe('behind', () => {
  test('the newest that anybody runs, by minors and by releases', () => {
    const counts = new Map([
      ['1.17.3', 5],
      ['1.17.1', 2],
      ['1.16.0', 4],
      ['1.14.0', 1],
    ])
    expect(
      behindOf(counts, ['1.14.0', '1.15.2', '1.16.0', '1.17.0', '1.17.1', '1.17.3', '1.18.0'], compareVersions),
    ).toEqual({
      newest: '1.17.3',
      byMinors: [7, 4, 0, 1],
      byReleases: [5, 2, 0, 4, 0, 1],
      telling: 12,
    })
  })

  test('of nobody is not known', () => {
    expect(behindOf(new Map(), ['1.14.0'], compareVersions)).toBeUndefined()
  })
})
