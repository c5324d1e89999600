/** The kinds of panels, one row per kind: the keys of its `spec` and how they are read. */
import {
  CALCULATIONS,
  type Chart,
  type Format,
  type GaugeOptions,
  type Legend,
  type QuerySetting,
  type StatOptions,
  type TimeSeriesOptions,
  type YAxis,
} from '../../model/dashboard.ts'
import {
  boundedAt,
  flagAt,
  has,
  numberAt,
  partAt,
  partsAt,
  start,
  reportUnsupported,
  textAt,
  wordAt,
  wordsAt,
  type Kinds,
  type Part,
} from './part.ts'
import { BAR_KEYS, NO_COLORS, PIE_KEYS, readBars, readPie } from './read-shares.ts'
import { readCalculation, readFormat, readMappings, readThresholds } from './read-format.ts'
import { readTable, TABLE_KEYS } from './read-table.ts'

const LINE_STYLES = ['solid', 'dashed', 'dotted'] as const
const LINE_WIDTH = { least: 0.25, most: 3, typical: 1.25 } as const
const POINT_RADIUS = { least: 0, most: 6, typical: 2.75 } as const
const SPARKLINE_WIDTH = { most: 6, typical: 1.5 } as const
const FONT_PX = { least: 8, most: 200 } as const

export const CHARTS: Kinds<Chart> = {
  TimeSeriesChart: {
    keys: ['legend', 'tooltip', 'yAxis', 'thresholds', 'visual', 'querySettings', 'unit'],
    read: readTimeSeries,
  },
  StatChart: {
    keys: [
      'calculation',
      'metricLabel',
      'format',
      'thresholds',
      'sparkline',
      'valueFontSize',
      'colorMode',
      'legendMode',
      'mappings',
    ],
    read: readStat,
  },
  GaugeChart: { keys: ['calculation', 'format', 'thresholds', 'max', 'legend'], read: readGauge },
  Table: { keys: TABLE_KEYS, read: readTable },
  BarChart: { keys: BAR_KEYS, read: readBars },
  PieChart: { keys: PIE_KEYS, read: readPie },
  HeatMapChart: {
    keys: ['yAxisFormat', 'countFormat', 'showVisualMap'],
    read: (spec) => ({
      kind: 'HeatMapChart',
      yFormat: readFormat(spec, 'yAxisFormat'),
      countFormat: readFormat(spec, 'countFormat'),
      hasScale: flagAt(spec, 'showVisualMap'),
    }),
  },
  StatusHistoryChart: {
    keys: ['legend', 'mappings', 'sorting'],
    read: (spec) => ({
      kind: 'StatusHistoryChart',
      mappings: readMappings(spec),
      legend: readLegend(spec),
      sort: wordAt(spec, 'sorting', ['asc', 'desc']),
    }),
  },
  Markdown: { keys: ['text'], read: (spec) => ({ kind: 'Markdown', text: textAt(spec, 'text') }) },
}

function readTimeSeries(spec: Part): TimeSeriesOptions {
  const visual = partAt(spec, 'visual', `the visual of ${spec.what}`, [
    'display',
    'lineWidth',
    'lineStyle',
    'areaOpacity',
    'showPoints',
    'palette',
    'pointRadius',
    'stack',
    'connectNulls',
  ])
  const palette = partAt(visual, 'palette', `the palette of ${spec.what}`, ['mode', 'name'])
  if (wordAt(palette, 'mode', ['auto', 'categorical']) === 'categorical')
    reportUnsupported(visual, 'palette', NO_COLORS)
  const tooltip = partAt(spec, 'tooltip', `the tooltip of ${spec.what}`, ['enablePinning'])
  return {
    kind: 'TimeSeriesChart',
    legend: readLegend(spec),
    thresholds: readThresholds(spec),
    yAxis: readYAxis(spec),
    visual: {
      display: wordAt(visual, 'display', ['line', 'bar']) ?? 'line',
      lineWidth: boundedAt(visual, 'lineWidth', LINE_WIDTH.least, LINE_WIDTH.most) ?? LINE_WIDTH.typical,
      lineStyle: wordAt(visual, 'lineStyle', LINE_STYLES) ?? 'solid',
      areaOpacity: boundedAt(visual, 'areaOpacity', 0, 1) ?? 0,
      alwaysShowsPoints: wordAt(visual, 'showPoints', ['auto', 'always']) === 'always',
      pointRadius: boundedAt(visual, 'pointRadius', POINT_RADIUS.least, POINT_RADIUS.most) ?? POINT_RADIUS.typical,
      stack: wordAt(visual, 'stack', ['none', 'all', 'percent']) ?? 'none',
      connectsNulls: flagAt(visual, 'connectNulls'),
    },
    querySettings: partsAt(spec, 'querySettings', `a query setting of ${spec.what}`, [
      'queryIndex',
      'colorMode',
      'colorValue',
      'lineStyle',
      'areaOpacity',
      'format',
    ]).flatMap(readQuerySetting),
    canPin: flagAt(tooltip, 'enablePinning', true),
  }
}

/** A chart without a legend has none of these. */
function readLegend(spec: Part): Legend | undefined {
  if (!has(spec, 'legend')) return undefined
  const legend = partAt(spec, 'legend', `the legend of ${spec.what}`, ['position', 'mode', 'size', 'values'])
  return {
    position: wordAt(legend, 'position', ['bottom', 'right']) ?? 'bottom',
    mode: wordAt(legend, 'mode', ['list', 'table']) ?? 'list',
    size: wordAt(legend, 'size', ['small', 'medium']) ?? 'medium',
    values: wordsAt(legend, 'values', `a value of ${legend.what}`, CALCULATIONS),
  }
}

function readYAxis(spec: Part): YAxis {
  const axis = partAt(spec, 'yAxis', `the y axis of ${spec.what}`, [
    'show',
    'label',
    'format',
    'unit',
    'min',
    'max',
    'logBase',
  ])
  const [min, max] = [numberAt(axis, 'min'), numberAt(axis, 'max')]
  if (min !== undefined && max !== undefined && min > max) {
    spec.yaml.error(start(axis.at), `${axis.what} ends at ${max}, below its start at ${min}`)
  }
  const logBase = numberAt(axis, 'logBase') ?? 0
  if (logBase !== 0 && logBase <= 1) spec.yaml.error(axis.entries.get('logBase')!.keyAt, 'logBase must be above 1')
  return {
    isShown: flagAt(axis, 'show', true),
    label: textAt(axis, 'label'),
    format: readFormat(axis) ?? oldFormat(axis) ?? oldFormat(spec),
    min,
    max,
    logBase: logBase > 1 ? nearLogBase(axis, logBase) : 0,
  }
}

/** Other bases would have ticks at unfamiliar numbers. */
function nearLogBase(axis: Part, logBase: number): number {
  if (logBase === 2 || logBase === 10) return logBase
  const why = `the supported bases are 2 and 10; the axis uses base 10 instead of ${logBase}`
  reportUnsupported(axis, 'logBase', why)
  return 10
}

/** Early versions of Perses had the format below `unit`. */
function oldFormat(part: Part): Format | undefined {
  return readFormat(part, 'unit')
}

function readQuerySetting(setting: Part): QuerySetting[] {
  const queryIndex = numberAt(setting, 'queryIndex')
  if (queryIndex === undefined || !Number.isInteger(queryIndex) || queryIndex < 0) {
    setting.yaml.error(start(setting.at), `${setting.what} has no queryIndex that is a whole number from 0`)
    return []
  }
  reportUnsupported(setting, 'colorValue', NO_COLORS)
  return [
    {
      queryIndex,
      colorMode: wordAt(setting, 'colorMode', ['fixed', 'fixed-single']),
      colorValue: textAt(setting, 'colorValue'),
      lineStyle: wordAt(setting, 'lineStyle', LINE_STYLES),
      areaOpacity: boundedAt(setting, 'areaOpacity', 0, 1),
      format: readFormat(setting),
    },
  ]
}

function readStat(spec: Part): StatOptions {
  const sparkline = partAt(spec, 'sparkline', `the sparkline of ${spec.what}`, ['color', 'width'])
  reportUnsupported(sparkline, 'color', NO_COLORS)
  return {
    kind: 'StatChart',
    calculation: readCalculation(spec),
    format: readFormat(spec),
    thresholds: readThresholds(spec),
    hasSparkline: has(spec, 'sparkline'),
    sparklineWidth: boundedAt(sparkline, 'width', LINE_WIDTH.least, SPARKLINE_WIDTH.most) ?? SPARKLINE_WIDTH.typical,
    valueFontPx: boundedAt(spec, 'valueFontSize', FONT_PX.least, FONT_PX.most),
    colorMode: wordAt(spec, 'colorMode', ['value', 'background_solid', 'none']) ?? 'value',
    legendMode: wordAt(spec, 'legendMode', ['auto', 'on', 'off']) ?? 'auto',
    metricLabel: textAt(spec, 'metricLabel'),
    mappings: readMappings(spec),
  }
}

function readGauge(spec: Part): GaugeOptions {
  const legend = partAt(spec, 'legend', `the legend of ${spec.what}`, ['show'])
  return {
    kind: 'GaugeChart',
    calculation: readCalculation(spec),
    format: readFormat(spec),
    thresholds: readThresholds(spec),
    max: numberAt(spec, 'max'),
    isNamed: has(legend, 'show') ? flagAt(legend, 'show', true) : undefined,
  }
}
