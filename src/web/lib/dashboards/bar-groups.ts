import type { BarOptions } from '../../../model/dashboard.ts'
import type { ColorToken } from '../palette.ts'
import { seriesName } from '../promql-table.ts'
import { calculate } from './calculate.ts'
import type { PanelSeries } from './series.ts'
import { meaningTokens, seriesTokens, type NamedSeries } from './series-colors.ts'
import { toneOfColor, type Tone } from './tone.ts'

/** The value of a series, or of several in one group with the same name. */
export interface Bar {
  readonly name: string
  /** `null`: no value. */
  readonly value: number | null
  /** Share of all bars, or of its group; 0 when the sum is 0. */
  readonly share: number
  /** The index of its part. */
  readonly look: number
  /** Of its part, or of the version or state that it is; absent for other bars without a group. */
  readonly color: ColorToken | undefined
  readonly tone: Tone
}

export interface BarGroup {
  readonly name: string
  readonly bars: readonly Bar[]
  readonly total: number
}

/** The sum of the positive values. */
export function wholeOf(bars: readonly Pick<Bar, 'value'>[]): number {
  return bars.reduce((sum, { value }) => sum + Math.max(0, value ?? 0), 0)
}

export interface Bars {
  readonly groups: readonly BarGroup[]
  /** In their order; empty without groups. */
  readonly parts: readonly BarPart[]
}

export type BarPart = Pick<Bar, 'name' | 'look' | 'color'>

type Asked = Pick<BarOptions, 'calculation' | 'groupBy' | 'sort' | 'colorOverrides'>

/** Series as bars, grouped by labels or alone. Pure. */
export function toBars(series: readonly PanelSeries[], asked: Asked): Bars {
  return asked.groupBy.length === 0 ? alone(series, asked) : grouped(series, asked)
}

function alone(series: readonly PanelSeries[], { calculation, sort, colorOverrides }: Asked): Bars {
  const values = series.map((one) => calculate(one.values, calculation))
  const whole = wholeOf(values.map((value) => ({ value })))
  const colors = meaningTokens(series)
  const groups = series.map(({ name }, i): BarGroup => {
    const value = values[i] ?? null
    const [share, tone] = [shareOf(value, whole), toneOf(name, colorOverrides)]
    const bar = { name, value, share, look: i, color: colors[i], tone }
    return { name, bars: [bar], total: value ?? 0 }
  })
  return { groups: sorted(groups, sort), parts: [] }
}

function grouped(series: readonly PanelSeries[], { calculation, groupBy, sort, colorOverrides }: Asked): Bars {
  const groups = new Map<string, Map<string, number | null>>()
  const parts: NamedSeries[] = []
  for (const one of series) {
    const name = groupBy.map((label) => one.labels[label] || `no ${label}`).join(' / ')
    const part = partOf(one, groupBy)
    if (!parts.some(({ name: known }) => known === part)) parts.push({ name: part, labels: one.labels })
    const group = groups.get(name) ?? new Map<string, number | null>()
    groups.set(name, group)
    const [known, value] = [group.get(part) ?? null, calculate(one.values, calculation)]
    group.set(part, known === null ? value : known + (value ?? 0))
  }
  const colors = seriesTokens(parts)
  const all = [...groups].map(([name, values]): BarGroup => {
    const whole = wholeOf([...values.values()].map((value) => ({ value })))
    const bars = parts.flatMap(({ name: part }, look) => {
      const value = values.get(part)
      if (value === undefined) return []
      const [share, tone] = [shareOf(value, whole), toneOf(part, colorOverrides)]
      return [{ name: part, value, share, look, color: colors[look], tone }]
    })
    return { name, bars, total: bars.reduce((sum, { value }) => sum + (value ?? 0), 0) }
  })
  return {
    groups: sorted(all, sort),
    parts: parts.map(({ name }, look) => ({ name, look, color: colors[look] })),
  }
}

/** By the labels outside the group: the value of a single one, or without any the name of the series. */
function partOf({ name, labels }: PanelSeries, groupBy: readonly string[]): string {
  const rest = Object.entries(labels).filter(([label]) => label !== '__name__' && !groupBy.includes(label))
  const [only] = rest
  if (only === undefined) return name === seriesName(labels) ? 'value' : name
  return rest.length === 1 ? only[1] : seriesName(Object.fromEntries(rest))
}

function sorted(groups: readonly BarGroup[], sort: 'asc' | 'desc' | undefined): readonly BarGroup[] {
  if (sort === undefined) return groups
  const sign = sort === 'asc' ? 1 : -1
  return groups.toSorted((a, b) => sign * (a.total - b.total))
}

function shareOf(value: number | null, whole: number): number {
  return value === null || whole <= 0 ? 0 : Math.max(0, value) / whole
}

function toneOf(name: string, overrides: Asked['colorOverrides']): Tone {
  const first = overrides.find(({ pattern }) => new RegExp(pattern).test(name))
  return first === undefined ? 'none' : toneOfColor(first.color)
}
