import { describe, expect, test } from 'vitest'
import { toBars } from '../../../../src/web/lib/dashboards/bar-groups.ts'
import { seriesToken, stateToken } from '../../../../src/web/lib/palette.ts'
import type { PanelSeries } from '../../../../src/web/lib/dashboards/series.ts'

const one = (labels: Readonly<Record<string, string>>, value: number | null): PanelSeries => {
  return { queryIndex: 0, name: Object.values(labels).join(' '), labels, values: [0, value] }
}
const PLAIN = { calculation: 'last', groupBy: [], sort: undefined, colorOverrides: [] } as const

const shown = (series: readonly PanelSeries[], more: Partial<Parameters<typeof toBars>[1]>) =>
  toBars(series, { ...PLAIN, ...more }).groups.map(({ name, total, bars }) => [
    name,
    total,
    bars.map((bar) => `${bar.name} ${String(bar.value)} ${Math.round(100 * bar.share)} % ${bar.look} ${bar.tone}`),
  ])

describe('bars', () => {
  test('stand alone without a label to group by, and have a share of all', () => {
    expect(shown([one({ v: '1.3' }, 50), one({ v: '1.4' }, 150)], { sort: 'desc' })).toEqual([
      ['1.4', 150, ['1.4 150 75 % 1 none']],
      ['1.3', 50, ['1.3 50 25 % 0 none']],
    ])
  })

  test('of a group have a share of it; what two series say of one part is summed', () => {
    const series = [
      one({ __name__: 'm', region: 'eu', phase: 'olm' }, 3),
      one({ __name__: 'm', region: 'eu', phase: 'nodes' }, 1),
      one({ __name__: 'm', region: 'us', phase: 'nodes' }, 2),
      one({ __name__: 'other', region: 'us', phase: 'nodes' }, 8),
    ]
    expect(shown(series, { groupBy: ['region'] })).toEqual([
      ['eu', 4, ['olm 3 75 % 0 none', 'nodes 1 25 % 1 none']],
      ['us', 10, ['nodes 10 100 % 1 none']],
    ])
    expect(toBars(series, { ...PLAIN, groupBy: ['region'] }).parts).toEqual([
      // A phase keeps its colour beside others.
      { name: 'olm', look: 0, color: stateToken('olm') },
      { name: 'nodes', look: 1, color: seriesToken(1) },
    ])
    expect(shown(series, { groupBy: ['region'], sort: 'desc' }).map(([name]) => name)).toEqual(['us', 'eu'])
  })

  test('several labels make a group together, several others a part; a series without either has its name', () => {
    const series = [one({ a: '1', b: '2', c: '3', d: '4' }, 1), one({ a: '1', b: '2' }, 2), one({ c: '3' }, 3)]
    expect(shown(series, { groupBy: ['a', 'b'] })).toEqual([
      ['1 / 2', 3, ['{c="3", d="4"} 1 33 % 0 none', '1 2 2 67 % 1 none']],
      ['no a / no b', 3, ['3 3 100 % 2 none']],
    ])
  })

  test('a part without a label of its own is the value, unless the file names it', () => {
    const series = [one({ a: '1' }, 1), { ...one({ a: '2' }, 2), name: '{a="2"}' }]
    expect(shown(series, { groupBy: ['a'] }).map(([, , bars]) => bars)).toEqual([
      ['1 1 100 % 0 none'],
      ['value 2 100 % 1 none'],
    ])
  })

  test('nothing, a gap and less than nothing have no share', () => {
    expect(shown([], {})).toEqual([])
    expect(shown([one({ v: 'a' }, null), one({ v: 'b' }, -2)], {})).toEqual([
      ['a', 0, ['a null 0 % 0 none']],
      ['b', -2, ['b -2 0 % 1 none']],
    ])
  })

  test('the first colour whose pattern is found says the outcome of a bar; one that stands for none says nothing', () => {
    const colorOverrides = [
      { pattern: '^fail', color: '#ff0000' },
      { pattern: 'blue', color: '#0000ff' },
      { pattern: '.', color: 'green' },
    ]
    const series = [one({ v: 'failed' }, 1), one({ v: 'blue' }, 1), one({ v: 'ok' }, 2)]
    expect(shown(series, { colorOverrides }).map(([, , bars]) => bars)).toEqual([
      ['failed 1 25 % 0 critical'],
      ['blue 1 25 % 1 none'],
      ['ok 2 50 % 2 good'],
    ])
  })
})
