/** The kinds of panel of Grafana, and which kind of Perses each becomes. */
import { defaultsOf, formatOf, legendOf, mappingsOf, panelFormat, reduction, thresholdsOf } from './import-options.ts'
import type { Out, Tell } from './import-options.ts'
import { isTrueAt, listAt, numberAt, recordAt, textAt } from './json-part.ts'
import type { Json } from './json-part.ts'

interface Plugin {
  readonly kind: string
  readonly spec: Out
}

type Convert = (panel: Json, tell: Tell) => Plugin

export function pluginOf(panel: Json, tell: Tell): Plugin | undefined {
  const type = textAt(panel, 'type')
  const convert = Object.hasOwn(CHARTS, type) ? CHARTS[type] : undefined
  if (convert !== undefined) return convert(panel, tell)
  tell(`panels of the type ${type || 'none'} have no like here: left out`)
  return undefined
}

const CHARTS: Readonly<Record<string, Convert>> = {
  graph: (panel, tell) => ({ kind: 'TimeSeriesChart', spec: graphOf(panel, tell) }),
  timeseries: (panel, tell) => ({ kind: 'TimeSeriesChart', spec: seriesOf(panel, tell) }),
  stat: (panel, tell) => ({ kind: 'StatChart', spec: statOf(panel, tell) }),
  singlestat: (panel, tell) => ({ kind: 'StatChart', spec: statOf(panel, tell) }),
  gauge: (panel, tell) => ({ kind: 'GaugeChart', spec: gaugeOf(panel, tell) }),
  bargauge: (panel, tell) => ({
    kind: 'BarChart',
    spec: { calculation: reduction(panel, tell), format: panelFormat(panel, tell) },
  }),
  barchart: (panel, tell) => ({
    kind: 'BarChart',
    spec: { calculation: reduction(panel, tell), format: panelFormat(panel, tell) },
  }),
  piechart: (panel, tell) => ({
    kind: 'PieChart',
    spec: { calculation: reduction(panel, tell), format: panelFormat(panel, tell), radius: 50 },
  }),
  heatmap: (panel, tell) => {
    const unit = textAt(recordAt(panel, 'options', 'yAxis'), 'unit') || textAt(recordAt(panel, 'yAxis'), 'format')
    return { kind: 'HeatMapChart', spec: { yAxisFormat: formatOf(unit, undefined, tell) } }
  },
  'status-history': (panel, tell) => ({ kind: 'StatusHistoryChart', spec: { mappings: mappingsOf(panel, tell) } }),
  'state-timeline': (panel, tell) => ({ kind: 'StatusHistoryChart', spec: { mappings: mappingsOf(panel, tell) } }),
  table: (panel, tell) => ({ kind: 'Table', spec: tableOf(panel, tell) }),
  'table-old': (panel, tell) => ({ kind: 'Table', spec: tableOf(panel, tell) }),
  text: (panel, tell) => {
    const mode = textAt(recordAt(panel, 'options'), 'mode') || textAt(panel, 'mode')
    if (mode === 'html') tell('HTML is shown as the text it is')
    return {
      kind: 'Markdown',
      spec: { text: textAt(recordAt(panel, 'options'), 'content') || textAt(panel, 'content') },
    }
  },
}

function graphOf(panel: Json, tell: Tell): Out {
  const [axis, second] = listAt(panel, 'yaxes')
  if (listAt(panel, 'seriesOverrides').length > 0) tell('overrides of single series are left out')
  if (isTrueAt(second, 'show') && listAt(panel, 'seriesOverrides').some((one) => numberAt(one, 'yaxis') === 2)) {
    tell('the second axis is left out: its series stand on the first')
  }
  const fill = numberAt(panel, 'fill') ?? 0
  return {
    legend: legendOf(panel, tell),
    thresholds: thresholdsOf(panel),
    yAxis: {
      format: formatOf(textAt(axis, 'format'), numberAt(axis, 'decimals') ?? numberAt(panel, 'decimals'), tell),
      ...bounds(axis),
      ...(textAt(axis, 'label') === '' ? {} : { label: textAt(axis, 'label') }),
      ...((numberAt(axis, 'logBase') ?? 1) > 1 ? { logBase: numberAt(axis, 'logBase') } : {}),
    },
    visual: {
      ...(isTrueAt(panel, 'bars') ? { display: 'bar' } : {}),
      ...lineWidth(numberAt(panel, 'linewidth')),
      ...(fill > 0 ? { areaOpacity: Math.min(1, fill / 10) } : {}),
      ...(isTrueAt(panel, 'stack') ? { stack: isTrueAt(panel, 'percentage') ? 'percent' : 'all' } : {}),
      ...(textAt(panel, 'nullPointMode') === 'connected' ? { connectNulls: true } : {}),
    },
  }
}

function seriesOf(panel: Json, tell: Tell): Out {
  const defaults = defaultsOf(panel)
  const custom = recordAt(defaults, 'custom')
  if (listAt(recordAt(panel, 'fieldConfig'), 'overrides').length > 0) tell('overrides of single series are left out')
  const stack = textAt(recordAt(custom, 'stacking'), 'mode')
  const scale = recordAt(custom, 'scaleDistribution')
  const dash = textAt(recordAt(custom, 'lineStyle'), 'fill')
  const fill = numberAt(custom, 'fillOpacity') ?? 0
  const isDrawn = textAt(recordAt(custom, 'thresholdsStyle'), 'mode')
  return {
    legend: legendOf(panel, tell),
    thresholds: isDrawn === '' || isDrawn === 'off' ? undefined : thresholdsOf(panel),
    yAxis: {
      format: panelFormat(panel, tell),
      ...bounds(defaults),
      ...(textAt(custom, 'axisLabel') === '' ? {} : { label: textAt(custom, 'axisLabel') }),
      ...(textAt(scale, 'type') === 'log' ? { logBase: numberAt(scale, 'log') ?? 10 } : {}),
    },
    visual: {
      ...(textAt(custom, 'drawStyle') === 'bars' ? { display: 'bar' } : {}),
      ...lineWidth(numberAt(custom, 'lineWidth')),
      ...(dash === 'dash' ? { lineStyle: 'dashed' } : dash === 'dot' ? { lineStyle: 'dotted' } : {}),
      ...(fill > 0 ? { areaOpacity: Math.min(1, fill / 100) } : {}),
      ...(stack === 'normal' ? { stack: 'all' } : stack === 'percent' ? { stack: 'percent' } : {}),
      ...(custom['spanNulls'] === true ? { connectNulls: true } : {}),
      ...(textAt(custom, 'showPoints') === 'always' ? { showPoints: 'always' } : {}),
    },
  }
}

function bounds(axis: unknown): Out {
  const [min, max] = [numberAt(axis, 'min'), numberAt(axis, 'max')]
  return { ...(min === undefined ? {} : { min }), ...(max === undefined ? {} : { max }) }
}

function lineWidth(width: number | undefined): Out {
  return width === undefined || width === 0 ? {} : { lineWidth: Math.min(3, Math.max(0.25, width)) }
}

function statOf(panel: Json, tell: Tell): Out {
  const options = recordAt(panel, 'options')
  const mappings = mappingsOf(panel, tell)
  const hasSparkline = textAt(options, 'graphMode') === 'area' || isTrueAt(recordAt(panel, 'sparkline'), 'show')
  const color = textAt(options, 'colorMode')
  const isSolid = color === 'background' || color === 'background_solid' || isTrueAt(panel, 'colorBackground')
  return {
    calculation: reduction(panel, tell),
    format: panelFormat(panel, tell),
    thresholds: thresholdsOf(panel),
    ...(hasSparkline ? { sparkline: {} } : {}),
    ...(isSolid ? { colorMode: 'background_solid' } : color === 'none' ? { colorMode: 'none' } : {}),
    ...(mappings.length === 0 ? {} : { mappings }),
  }
}

function gaugeOf(panel: Json, tell: Tell): Out {
  const defaults = defaultsOf(panel)
  const min = numberAt(defaults, 'min') ?? 0
  if (min !== 0) tell(`the gauge begins at ${min} in Grafana, and at 0 here`)
  return {
    calculation: reduction(panel, tell),
    format: panelFormat(panel, tell),
    max: numberAt(defaults, 'max'),
    thresholds: thresholdsOf(panel),
  }
}

/** Columns of `organize` and of the old `styles`; what else transforms do is told. */
function tableOf(panel: Json, tell: Tell): Out {
  const transforms: Out[] = []
  const columns = new Map<string, Record<string, unknown>>()
  const column = (name: string): Record<string, unknown> => {
    const own = nameOf(name)
    const known = columns.get(own) ?? { name: own }
    columns.set(own, known)
    return known
  }
  for (const transformation of listAt(panel, 'transformations')) {
    const id = textAt(transformation, 'id')
    const options = recordAt(transformation, 'options')
    if (id === 'merge') transforms.push({ kind: 'MergeSeries', spec: {} })
    else if (id === 'seriesToColumns' || id === 'joinByField') {
      transforms.push({ kind: 'MergeSeries', spec: {} })
      transforms.push({ kind: 'JoinByColumnValue', spec: { columns: [textAt(options, 'byField') || 'timestamp'] } })
    } else if (id === 'organize') {
      for (const [name, isHidden] of Object.entries(recordAt(options, 'excludeByName')))
        if (isHidden === true) column(name)['hide'] = true
      for (const [name, header] of Object.entries(recordAt(options, 'renameByName')))
        if (typeof header === 'string') column(name)['header'] = header
    } else tell(`the transformation ${id} has no like in Perses`)
  }
  for (const style of listAt(panel, 'styles')) {
    const name = textAt(style, 'pattern')
    if (/^\/.*\/$/.test(name)) {
      if (name !== '/.*/') tell(`the column style of ${name} is left out: columns are named one by one`)
      continue
    }
    const own = column(name)
    if (textAt(style, 'alias') !== '') own['header'] = textAt(style, 'alias')
    if (textAt(style, 'type') === 'hidden') own['hide'] = true
    const format = formatOf(
      textAt(style, 'unit'),
      textAt(style, 'unit') === '' ? undefined : numberAt(style, 'decimals'),
      tell,
    )
    if (format !== undefined) own['format'] = format
  }
  for (const override of listAt(recordAt(panel, 'fieldConfig'), 'overrides')) {
    const matcher = recordAt(override, 'matcher')
    if (textAt(matcher, 'id') !== 'byName') {
      tell(`the override of ${textAt(matcher, 'id')} is left out: columns are named one by one`)
      continue
    }
    const own = column(textAt(matcher, 'options'))
    for (const property of listAt(override, 'properties')) setProperty(own, property, tell)
  }
  const [sort] = listAt(recordAt(panel, 'options'), 'sortBy')
  if (sort !== undefined) column(textAt(sort, 'displayName'))['sort'] = isTrueAt(sort, 'desc') ? 'desc' : 'asc'
  return {
    ...(columns.size === 0
      ? {}
      : { columnSettings: [...columns.values()].map((one) => ({ ...one, enableSorting: true })) }),
    ...(transforms.length === 0 ? {} : { transforms }),
  }
}

function setProperty(column: Record<string, unknown>, property: Json, tell: Tell): void {
  const id = textAt(property, 'id')
  const value = property['value']
  if (id === 'displayName' && typeof value === 'string') column['header'] = value
  else if (id === 'unit' && typeof value === 'string') column['format'] = formatOf(value, undefined, tell)
  else if (id === 'custom.width' && typeof value === 'number') column['width'] = value
  else if (id === 'custom.align' && typeof value === 'string' && value !== 'auto') column['align'] = value
  else if (id === 'custom.hidden') column['hide'] = value === true
  else tell(`the override ${id} of column ${String(column['name'])} is left out`)
}

/** Grafana calls the time `Time`, the value `Value`, and that of query B `Value #B`. */
function nameOf(name: string): string {
  if (name === 'Time') return 'timestamp'
  const letter = /^Value(?: #([A-Z]))?$/.exec(name)
  if (letter === null) return name
  return letter[1] === undefined ? 'value' : `value #${letter[1].charCodeAt(0) - 64}`
}
