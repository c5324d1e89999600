import { describe, expect, test } from 'vitest'
import type { Thresholds } from '../../../../src/model/dashboard.ts'
import { bucketRows } from '../../../../src/web/lib/dashboards/buckets.ts'
import { calculate } from '../../../../src/web/lib/dashboards/calculate.ts'
import { labelText, largestOf, nameOf, stacked, toPanelData } from '../../../../src/web/lib/dashboards/series.ts'
import {
  builtIns,
  minStepOf,
  readRefresh,
  readTimeRange,
  spanOf,
  timeRangeSearch,
} from '../../../../src/web/lib/dashboards/time-range.ts'
import { limitOf, mappingOf, markOf, toneOfColor } from '../../../../src/web/lib/dashboards/tone.ts'

describe('one number of a series', () => {
  const values = [null, 3, NaN, 1, null]
  test.each([
    ['last', null],
    ['last-number', 1],
    ['first', null],
    ['first-number', 3],
    ['mean', 2],
    ['sum', 4],
    ['min', 1],
    ['max', 3],
  ] as const)('%s is %j', (calculation, want) => {
    expect(calculate(values, calculation)).toBe(want)
  })
  test('of nothing is nothing', () => {
    expect(calculate([null, NaN], 'sum')).toBeNull()
    expect(calculate([], 'last')).toBeNull()
  })
})

describe('answers as series', () => {
  const span = { startSeconds: 0, endSeconds: 20, stepSeconds: 10 }
  test('stand over one axis, with gaps, the names the file wants and every warning once', () => {
    const data = toPanelData(
      [{ seriesNameFormat: 'cpu {{ node }}{{none}}' }, { seriesNameFormat: '' }],
      [
        {
          status: 'success',
          data: {
            resultType: 'matrix',
            result: [
              {
                metric: { node: 'n1' },
                values: [
                  [0, '1'],
                  [20, '3'],
                ],
              },
            ],
          },
          warnings: ['cut'],
        },
        { status: 'success', data: { resultType: 'scalar', result: [10, '7'] }, warnings: ['cut'] },
        undefined,
      ],
      span,
    )
    expect([...data.timesSeconds]).toEqual([0, 10, 20])
    expect(data.series.map(({ name, queryIndex, values }) => [name, queryIndex, values])).toEqual([
      ['cpu n1', 0, [1, null, 3]],
      ['value', 1, [null, 7, null]],
    ])
    expect(data.warnings).toEqual(['cut'])
    expect(nameOf({ a: '1' }, '')).toBe('{a="1"}')
  })

  test('stack', () => {
    const columns = [
      [1, null, 0],
      [3, 2, 0],
    ]
    expect(stacked(columns, 'all')).toEqual([
      [1, null, 0],
      [4, 2, 0],
    ])
    expect(stacked(columns, 'percent')).toEqual([
      [25, null, 0],
      [100, 100, 0],
    ])
  })

  test('a label instead of a number, and that there is none', () => {
    expect(labelText({ labels: { version: '1.2' } }, 'version')).toBe('1.2')
    expect(labelText({ labels: {} }, 'version')).toBe('no version')
  })

  test('the largest of all series is what percent thresholds are of', () => {
    expect(largestOf([{ values: [1, null, 3] }, { values: [NaN, 2] }])).toBe(3)
    expect(largestOf([{ values: [null] }])).toBeUndefined()
    const step = { value: 80, color: '', name: '' }
    const percent = { mode: 'percent', defaultColor: '', steps: [step] } as const
    expect(limitOf(step, percent, 200)).toBe(160)
    expect(limitOf(step, percent, 200, 100)).toBe(180)
    expect(limitOf(step, { ...percent, mode: 'absolute' }, 200, 100)).toBe(80)
  })

  test('buckets of a histogram count what is theirs, the highest first', () => {
    const bucket = (le: string, values: number[]) => ({ queryIndex: 0, name: le, labels: { le }, values })
    expect(
      bucketRows([bucket('+Inf', [5, 5]), bucket('1', [2, 0]), bucket('5', [3, 5])]).map(({ limit, values }) => [
        limit,
        values,
      ]),
    ).toEqual([
      [Infinity, [2, 0]],
      [5, [1, 5]],
      [1, [2, 0]],
    ])
    expect(bucketRows([{ queryIndex: 0, name: 'x', labels: {}, values: [1] }])[0]).toMatchObject({
      name: 'x',
      limit: undefined,
    })
  })
})

describe('colours of a file are read for the outcome they stand for', () => {
  test.each([
    ['#f2495c', 'critical'],
    ['#c4162a', 'critical'],
    ['#ff9830', 'warning'],
    ['#fade2a', 'warning'],
    ['#73bf69', 'good'],
    ['#5794f2', 'none'],
    ['#b877d9', 'none'],
    ['#888', 'none'],
    ['#000000', 'none'],
    ['red', 'critical'],
    ['dark-orange', 'warning'],
    ['rgb(0, 200, 0)', 'good'],
    ['transparent', 'none'],
    ['', 'none'],
  ])('%s is %s', (color, tone) => {
    expect(toneOfColor(color)).toBe(tone)
  })

  const thresholds = (more: Partial<Thresholds>): Thresholds => ({
    mode: 'absolute',
    defaultColor: '',
    steps: [
      { value: 60, color: '', name: '' },
      { value: 90, color: '', name: 'too much' },
    ],
    ...more,
  })
  test.each([
    [59, thresholds({}), 100, { tone: 'none', word: '' }],
    [59, thresholds({ defaultColor: 'green' }), 100, { tone: 'good', word: '' }],
    [60, thresholds({}), 100, { tone: 'warning', word: '≥ 60' }],
    [90, thresholds({}), 100, { tone: 'critical', word: 'too much' }],
    [0.6, thresholds({ mode: 'percent' }), 1, { tone: 'warning', word: '≥ 60 %' }],
    [null, thresholds({}), 100, { tone: 'none', word: '' }],
  ])('%j of %j', (value, of, max, want) => {
    expect(markOf(value, of, max)).toEqual(want)
  })

  test('the first mapping a value meets', () => {
    const mapping = (value: string, text: string) => ({ condition: { kind: 'value', value } as const, text, color: '' })
    expect(mappingOf(1, [mapping('0', 'down'), mapping('1', 'up'), mapping('1', 'also')])?.text).toBe('up')
    expect(mappingOf(null, [mapping('null', 'x')])).toBeUndefined()
  })
})

describe('the time shown', () => {
  const search = (text: string): URLSearchParams => new URLSearchParams(text)
  test.each([
    ['', { kind: 'last', seconds: 21_600 }],
    ['range=1h', { kind: 'last', seconds: 3600 }],
    ['range=soon', { kind: 'last', seconds: 21_600 }],
    ['range=9y', { kind: 'last', seconds: 21_600 }],
    ['from=1000000&to=2000000', { kind: 'between', fromMs: 1_000_000, toMs: 2_000_000 }],
    ['from=2000000&to=1000000&range=1d', { kind: 'last', seconds: 86_400 }],
  ] as const)('of %j', (text, want) => {
    expect(readTimeRange(search(text), 21_600)).toEqual(want)
  })

  test('goes back into the address, and the usual one is left out', () => {
    expect(timeRangeSearch({ kind: 'last', seconds: 21_600 }, 21_600)).toEqual({ from: '', to: '', range: '' })
    expect(timeRangeSearch({ kind: 'last', seconds: 90 }, 21_600)).toEqual({ from: '', to: '', range: '1m30s' })
    expect(timeRangeSearch({ kind: 'between', fromMs: 1, toMs: 2 }, 1)).toEqual({ from: '1', to: '2', range: '' })
  })

  test('is asked in whole steps, at least as long as a query wants', () => {
    expect(spanOf({ kind: 'last', seconds: 3600 }, 1_000_007_000)).toEqual({
      startSeconds: 996_405,
      endSeconds: 1_000_005,
      stepSeconds: 15,
    })
    expect(spanOf({ kind: 'last', seconds: 3600 }, 1_000_007_000, 60).stepSeconds).toBe(60)
  })

  test.each([
    ['a length', { minStepSeconds: 60, minStepText: '' }, 60],
    ['a variable', { minStepSeconds: 0, minStepText: '${step}' }, 300],
    ['a variable that is no length', { minStepSeconds: 0, minStepText: '$cluster' }, 0],
    ['a variable that nobody knows', { minStepSeconds: 0, minStepText: '$none' }, 0],
  ])('has the least step of %s', (_what, query, want) => {
    const value = (text: string) => ({ values: [text], isPattern: false })
    const values = new Map([
      ['step', value('5m')],
      ['cluster', value('a')],
    ])
    expect(minStepOf(query, values)).toBe(want)
  })

  test('ends now for what says how things are now, though its steps are an hour long', () => {
    const month = { kind: 'last', seconds: 30 * 86_400 } as const
    const nowMs = 1_000_007_900
    expect(spanOf(month, nowMs).endSeconds).toBeLessThan(1_000_007 - 1800)
    const { startSeconds, endSeconds, stepSeconds } = spanOf(month, nowMs, 0, 'now')
    expect(endSeconds).toBe(1_000_007)
    expect((endSeconds - startSeconds) % stepSeconds).toBe(0)
  })

  test('gives the built-in variables their values', () => {
    const values = builtIns({ startSeconds: 0, endSeconds: 3600, stepSeconds: 15 }, { name: 'd', project: 'p' })
    const said = Object.fromEntries([...values].map(([name, value]) => [name, value.values[0]]))
    expect(said).toEqual({
      __dashboard: 'd',
      __project: 'p',
      __from: '0',
      __to: '3600000',
      __interval: '15s',
      __interval_ms: '15000',
      __rate_interval: '240s',
      __range: '3600s',
      __range_s: '3600',
      __range_ms: '3600000',
    })
    expect(
      builtIns({ startSeconds: 0, endSeconds: 9, stepSeconds: 600 }, { name: '', project: '' }).get('__rate_interval')
        ?.values,
    ).toEqual(['660s'])
  })

  test.each([
    ['', 60],
    ['refresh=off', 0],
    ['refresh=5m', 300],
    ['refresh=often', 60],
  ])('refresh of %j', (text, want) => {
    expect(readRefresh(search(text), 60)).toBe(want)
  })
})
