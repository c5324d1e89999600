import { describe, expect, test } from 'vitest'
import type { AdoptionBasis, ShareAnswer, SpreadItem, WorkloadsAnswer } from '../../../src/contract/adoption.ts'
import { adoptionCall, adoptionPromql, olderPromql, citedDays } from '../../../src/web/lib/adoption-call.ts'
import {
  adoptionHeadline,
  alignedDays,
  comparedWith,
  withCompared,
  rolloutStepOf,
} from '../../../src/web/lib/adoption-spread.ts'
import { ADOPTION_VIEW } from '../../../src/web/lib/adoption-view.ts'
import {
  cohortRows,
  clustersBehind,
  hasLines,
  linesOf,
  onOneLine,
  shareBands,
} from '../../../src/web/lib/adoption-shares.ts'
import { workloadUpdate } from '../../../src/web/lib/workload-update.ts'
import { parseExpr } from '../../../src/promql/parse.ts'

const DAYS = ['2026-11-19', '2026-11-20', '2026-11-21']
const BASIS = { known: 0, telling: 0 } as AdoptionBasis

/** Of three days, of which nobody counted the second. */
function answerOf(counts: Readonly<Record<string, readonly number[]>>, untold = [0, 0, 0]): ShareAnswer {
  const series = Object.entries(counts).map(([value, clusters]) => ({ value, clusters: [...clusters], share: [] }))
  const telling = DAYS.map((_, day) => series.reduce((sum, { clusters }) => sum + clusters[day]!, 0))
  return { basis: BASIS, days: DAYS, known: telling.map((count, day) => count + untold[day]!), telling, series }
}

describe('bands', () => {
  test('are versions by age, and what is not known on top', () => {
    const bands = shareBands(answerOf({ '1.20': [0, 0, 5], '1.19': [9, 0, 4] }, [1, 0, 2]), true)
    expect(bands.map(({ key, fill, clusters }) => [key, fill, clusters])).toEqual([
      ['1.20', '--dt-ramp-8', [0, 0, 5]],
      ['1.19', '--dt-ramp-6', [9, 0, 4]],
      ['unreported', 'unreported', [1, 0, 2]],
    ])
  })

  test('that are no versions are coloured by their place, the largest first', () => {
    const bands = shareBands(answerOf({ stable: [1, 1, 2], candidate: [0, 0, 7] }), false)
    expect(bands.map(({ key, fill }) => [key, fill])).toEqual([
      ['candidate', '--dt-series-1'],
      ['stable', '--dt-series-2'],
      ['unreported', 'unreported'],
    ])
  })

  test('the smallest of many are one, and never the newest that has most', () => {
    const counts = Object.fromEntries(
      Array.from({ length: 12 }, (_, i) => [`1.${20 - i}.0`, i === 0 ? [0, 0, 50] : [10 + i, 0, i === 5 ? 3 : 0]]),
    )
    const bands = shareBands(answerOf(counts), true)
    expect(bands.map(({ label }) => label)).toEqual([
      '1.20.0',
      '1.15.0',
      '1.13.0',
      '1.12.0',
      '1.11.0',
      '1.10.0',
      '1.9.0',
      'other (5)',
      'not known',
    ])
    const other = bands.find(({ fill }) => fill === 'other')!
    expect(other.clusters).toEqual([11 + 12 + 13 + 14 + 16, 0, 0])
  })
})

describe('lines of versions', () => {
  test('are looked at one at a time, the larger first', () => {
    const answer = answerOf({ community: [5, 0, 4], openshift: [0, 0, 9] })
    expect(linesOf(answer)).toEqual(['openshift', 'community'])
    expect(onOneLine(ADOPTION_VIEW.initial, linesOf(answer)).only).toEqual({ flavour: ['openshift', '-'] })
    const chosen = { ...ADOPTION_VIEW.initial, only: { flavour: ['community'], region: ['eu'] } }
    expect(onOneLine(chosen, linesOf(answer))).toEqual(chosen)
  })

  test('are no matter where there is one, or another operator', () => {
    expect(linesOf(answerOf({ community: [5, 0, 4], openshift: [2, 0, 0] }))).toEqual([])
    expect(onOneLine(ADOPTION_VIEW.initial, [])).toEqual(ADOPTION_VIEW.initial)
    expect(hasLines(ADOPTION_VIEW.initial)).toBe(true)
    expect(hasLines({ ...ADOPTION_VIEW.initial, operator: 'kubevirt' })).toBe(false)
  })
})

describe('older than a version', () => {
  const answer = answerOf(
    { '1.20.0': [0, 0, 5], '1.19.0': [6, 0, 3], '1.18.0': [4, 0, 2], '1.17.0': [1, 0, 0] },
    [1, 0, 3],
  )

  test('is who runs something before it, on the last counted day and on each', () => {
    expect(clustersBehind(answer, '1.20.0')).toMatchObject({
      day: '2026-11-21',
      clusters: 5,
      telling: 10,
      known: 13,
      versions: [
        { version: '1.19.0', clusters: 3 },
        { version: '1.18.0', clusters: 2 },
      ],
      byDay: [11, null, 5],
    })
    expect(clustersBehind(answer, '1.17.0')).toMatchObject({ clusters: 0, versions: [], byDay: [0, null, 0] })
  })

  test('is not known of a version that nobody has', () => {
    expect(clustersBehind(answer, '2.0.0')).toBeUndefined()
    expect(clustersBehind(answerOf({ '1.20.0': [0, 0, 0] }), '1.20.0')).toBeUndefined()
  })
})

test('cohorts have their own denominators, and those that tell no cohort are one', () => {
  const all = answerOf({ candidate: [4, 0, 4], stable: [6, 0, 8] }, [0, 0, 2])
  const untold = answerOf({ stable: [0, 0, 2] }, [0, 0, 1])
  const own = answerOf({ candidate: [1, 0, 4], stable: [0, 0, 3] }, [0, 0, 0])
  expect(cohortRows(all, untold, own)).toEqual([
    { value: 'stable', clusters: 3, telling: 6, known: 8, share: [0, null, 0.5] },
    { value: 'candidate', clusters: 4, telling: 4, known: 4, share: [0.25, null, 1] },
    { value: '', clusters: 0, telling: 1, known: 2, share: [null, null, 0] },
  ])
})

test('machines follow their control plane, or have still to', () => {
  const version = (name: string, clusters: number[], machines: number[], outdated: number[]) => {
    return { version: name, clusters, machines, outdated, share: [] }
  }
  const answer: WorkloadsAnswer = {
    basis: BASIS,
    days: DAYS,
    versions: [
      version('1.20.0', [0, 0, 3], [0, 0, 30], [0, 0, 12]),
      version('1.19.0', [4, 0, 1], [40, 0, 10], [5, 0, 0]),
    ],
  }
  expect(workloadUpdate(answer, ['1.20.0'])).toEqual({
    clusters: [0, null, 0.75],
    planned: [0, null, 0.75],
    real: [0, null, 0.45],
    last: { day: '2026-11-21', real: 18, planned: 30, machines: 40 },
  })
  expect(workloadUpdate({ ...answer, versions: [] }, []).last).toBeUndefined()
})

const spread = (version: string, byAge: (number | null)[], isStartKnown = true): SpreadItem => ({
  ...{ version, firstDay: '2026-11-01', isStartKnown, to10Days: null, to50Days: null, to90Days: null },
  ...{ peakShare: 0, peakDay: '2026-11-01', halfLifeDays: null, stage: 'rising', clusters: 0, share: 0, byAge },
})

describe('the headline', () => {
  const NEW = spread('1.20', [0.1, 0.3, 0.5, null])
  test.each([
    [
      'against the one before',
      [NEW, spread('1.19', [0, 0.2, 0.4, 0.9])],
      'First installed 2 days earlier. At the same age, 1.19 was at 40 %.',
    ],
    [
      'which nobody counted then',
      [NEW, spread('1.19', [0, 0.2, null, 0.9])],
      'First installed 2 days earlier. No count of 1.19 exists at the same age.',
    ],
    ['which is not that old', [NEW, spread('1.19', [0])], '1.19 has not reached the same age.'],
    [
      'which was always there',
      [NEW, spread('1.19', [1, 1, 1], false)],
      'First installed 2 days earlier. The first install of 1.19 is not known, so the two cannot be compared by age.',
    ],
    ['with none before', [NEW], 'First installed 2 days earlier.'],
    ['that is new today', [spread('1.20', [0.1])], 'First installed on the last counted day.'],
    [
      'that was always there',
      [spread('1.20', [1], false)],
      'Installed before 1 Nov, the first counted day, so the age of 1.20 is not known.',
    ],
  ])('%s', (_, spreads, context) => {
    expect(adoptionHeadline(spreads, '1.20', 40)?.context).toContain(context)
  })

  test('counts those on it or newer', () => {
    expect(adoptionHeadline([NEW, spread('1.19', [0.75])], '1.19', 40)?.answer).toBe(
      '1.19 or newer runs on 30 of 40 reporting clusters (75 %)',
    )
    expect(adoptionHeadline([NEW], '1.18', 40)).toBeUndefined()
  })
})

describe('aligned by age', () => {
  const lines = [
    spread('1.20', Array<number>(20).fill(0)),
    spread('1.19', Array<number>(100).fill(0)),
    spread('1.18', [1], false),
  ]
  test('are the version and those before it whose first day is known', () => {
    expect(comparedWith(lines, '1.20', [])).toEqual(['1.20', '1.19'])
    expect(comparedWith(lines, '1.19', [])).toEqual(['1.19'])
    expect(comparedWith(lines, '1.20', ['1.18', '1.19'])).toEqual(['1.19'])
    expect(withCompared(['a', 'b', 'c', 'd'], 'e')).toEqual(['b', 'c', 'd', 'e'])
    expect(withCompared(['a', 'b'], 'a')).toEqual(['b'])
  })

  test('over twice the age of the one that matters', () => {
    expect(alignedDays(lines, '1.20')).toBe(40)
    expect(alignedDays([lines[0]!], '1.20')).toBe(20)
    expect(alignedDays([], '1.20')).toBe(1)
  })

  test.each([
    [0, 'canary'],
    [0.1, 'rolling'],
    [0.5, 'majority'],
    [0.9, 'tail'],
  ])('at %d it is in its %s', (share, step) => {
    expect(rolloutStepOf(share)).toBe(step)
  })
})

describe('a citation ends with the last counted day that is over', () => {
  test.each([
    ['today goes on', '2026-11-22', [], { to: '2026-11-21', at: '2026-11-22T00:00:00Z' }],
    ['it was over already', '2026-11-10', [], { to: '2026-11-10', at: '2026-11-11T00:00:00Z' }],
    ['yesterday was not counted', '2026-11-22', ['2026-11-21'], { to: '2026-11-20', at: '2026-11-21T00:00:00Z' }],
  ])('%s', (_, to, missingDays, cited) => {
    expect(citedDays({ from: '2026-11-01' }, { to, missingDays }, '2026-11-22')).toEqual({
      from: '2026-11-01',
      ...cited,
    })
  })

  test('and is told to change when there is no other', () => {
    const days = { from: '2026-11-21', to: '2026-11-22', at: undefined }
    expect(citedDays({ from: '2026-11-21' }, { to: '2026-11-22', missingDays: ['2026-11-21'] }, '2026-11-22')).toEqual(
      days,
    )
  })
})

describe('calls', () => {
  const view = {
    ...ADOPTION_VIEW.initial,
    operator: 'kubevirt',
    only: { channel: ['stable', '-'], platform: ['openshift 4.20'] },
  }
  test('ask the API for what is shown', () => {
    expect(adoptionCall('share', view, { from: '2026-11-01', by: 'version', at: undefined })).toBe(
      '/api/adoption/v1/share?operator=kubevirt&channel=stable&channel=-&platform=openshift+4.20&from=2026-11-01&by=version',
    )
    expect(adoptionCall('usage', view, { from: '2026-11-01' })).toBe('/api/adoption/v1/usage?from=2026-11-01')
  })

  test.each([
    [
      adoptionPromql(ADOPTION_VIEW.initial, 'version'),
      'sum by (version) (daytwo_adoption_clusters{operator="kubevirt-hyperconverged"})',
    ],
    [
      adoptionPromql(view, 'channel'),
      'count by (channel) (daytwo_cluster_info{channel=~"stable|", platform="openshift", platform_version=~"4[.]20([.].*)?"})',
    ],
    [
      adoptionPromql(ADOPTION_VIEW.initial, 'minor'),
      'sum by (minor) (label_replace(daytwo_adoption_clusters{operator="kubevirt-hyperconverged"}, "minor", "$1", "version", "v?([0-9]+[.][0-9]+).*"))',
    ],
    [
      olderPromql(ADOPTION_VIEW.initial, ['1.16.0', '1.15.2']),
      'sum(daytwo_adoption_clusters{operator="kubevirt-hyperconverged", version=~"1[.]16[.]0|1[.]15[.]2"}) / sum(daytwo_adoption_clusters{operator="kubevirt-hyperconverged"})',
    ],
  ])('%s is PromQL', (expr, text) => {
    expect(expr).toBe(text)
    expect(() => parseExpr(expr)).not.toThrow()
  })
})
