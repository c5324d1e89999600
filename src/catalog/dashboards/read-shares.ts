/** The panels that compare one number per series: `BarChart` and `PieChart`. */
import type { BarOptions, ColorOverride, PieLegend, PieOptions } from '../../model/dashboard.ts'
import {
  boundedAt,
  flagAt,
  has,
  neededTextAt,
  partAt,
  partsAt,
  reportUnsupported,
  textAt,
  textsAt,
  wordAt,
  wordsAt,
  type Part,
} from './part.ts'
import { isRegex, readCalculation, readFormat } from './read-format.ts'

/** Why a colour without a meaning is not applied. */
export const NO_COLORS =
  'charts use one colour-blind safe palette; red, amber and green are reserved for severity and outcome'

const SHARED_KEYS = ['calculation', 'format', 'sort', 'mode'] as const

export const BAR_KEYS = [...SHARED_KEYS, 'orientation', 'groupBy', 'isStacked', 'colorOverrides']

export const PIE_KEYS = [
  ...SHARED_KEYS,
  'legend',
  'showLabels',
  'radius',
  'colorPalette',
  'gradientColor',
  'color',
  'visual',
]

const RADIUS = { least: 10, most: 100, typical: 50 } as const

export function readBars(spec: Part): BarOptions {
  const groupBy = textsAt(spec, 'groupBy')
  return {
    kind: 'BarChart',
    ...readShares(spec),
    // Perses sorts ungrouped bars; groups keep their order.
    sort: readSort(spec) ?? (groupBy.length === 0 ? 'desc' : undefined),
    orientation: wordAt(spec, 'orientation', ['horizontal', 'vertical']) ?? 'horizontal',
    groupBy,
    isStacked: flagAt(spec, 'isStacked'),
    colorOverrides: partsAt(spec, 'colorOverrides', `a colour of ${spec.what}`, ['regex', 'color']).flatMap(readColor),
  }
}

export function readPie(spec: Part): PieOptions {
  for (const key of ['colorPalette', 'gradientColor', 'color', 'visual']) reportUnsupported(spec, key, NO_COLORS)
  // Names are always shown beside the ring, with or without labels, because a slice without a name has no meaning.
  flagAt(spec, 'showLabels')
  return {
    kind: 'PieChart',
    ...readShares(spec),
    sort: readSort(spec) ?? 'desc',
    legend: readLegend(spec),
    radius: boundedAt(spec, 'radius', RADIUS.least, RADIUS.most) ?? RADIUS.typical,
  }
}

function readShares(spec: Part) {
  return {
    calculation: readCalculation(spec),
    format: readFormat(spec),
    mode: wordAt(spec, 'mode', ['value', 'percentage']) ?? 'value',
  }
}

function readSort(spec: Part): 'asc' | 'desc' | undefined {
  return wordAt(spec, 'sort', ['asc', 'desc'])
}

function readColor(override: Part): ColorOverride[] {
  const pattern = neededTextAt(override, 'regex')
  if (pattern === '') return []
  if (isRegex(pattern)) return [{ pattern, color: textAt(override, 'color') }]
  override.yaml.error(override.entries.get('regex')!.keyAt, `${JSON.stringify(pattern)} is not a regular expression`)
  return []
}

function readLegend(spec: Part): PieLegend | undefined {
  if (!has(spec, 'legend')) return undefined
  const legend = partAt(spec, 'legend', `the legend of ${spec.what}`, ['position', 'mode', 'size', 'values'])
  // One row per slice, in either mode.
  wordAt(legend, 'mode', ['list', 'table'])
  return {
    position: wordAt(legend, 'position', ['bottom', 'right']) ?? 'bottom',
    size: wordAt(legend, 'size', ['small', 'medium']) ?? 'medium',
    values: wordsAt(legend, 'values', `a value of ${legend.what}`, ['abs', 'relative']),
  }
}
