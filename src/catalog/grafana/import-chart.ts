/** The kinds of Grafana panels and the corresponding kinds of Perses. */
import {
  defaultsOf,
  formatOf,
  legendOf,
  mappingsOf,
  panelFormat,
  reduction,
  thresholdsOf,
  type Out,
  type Report,
} from './import-options.ts'
import { tableOf } from './import-table.ts'
import { isTrueAt, listAt, numberAt, recordAt, textAt, type Json } from './json-part.ts'

interface Plugin {
  readonly kind: string
  readonly spec: Out
}

type Convert = (panel: Json, report: Report) => Plugin

export function pluginOf(panel: Json, report: Report): Plugin | undefined {
  const type = textAt(panel, 'type')
  const convert = CHARTS.get(type)
  if (convert !== undefined) {
    const isTable = convert === CHARTS.get('table')
    if (!isTable && listAt(recordAt(panel, 'fieldConfig'), 'overrides').length > 0) {
      report('overrides of single series are left out')
    }
    return convert(panel, report)
  }
  report(`panels of the type ${type || 'none'} are not supported: left out`)
  return undefined
}

const CHARTS: ReadonlyMap<string, Convert> = new Map(
  Object.entries<Convert>({
    graph: (panel, report) => ({ kind: 'TimeSeriesChart', spec: graphOf(panel, report) }),
    timeseries: (panel, report) => ({ kind: 'TimeSeriesChart', spec: seriesOf(panel, report) }),
    stat: (panel, report) => ({ kind: 'StatChart', spec: statOf(panel, report) }),
    singlestat: (panel, report) => {
      const gauge = recordAt(panel, 'gauge')
      return isTrueAt(gauge, 'show')
        ? gaugeOf(panel, numberAt(gauge, 'minValue'), numberAt(gauge, 'maxValue') ?? 100, report)
        : { kind: 'StatChart', spec: statOf(panel, report) }
    },
    gauge: (panel, report) => {
      const defaults = defaultsOf(panel)
      return gaugeOf(panel, numberAt(defaults, 'min'), numberAt(defaults, 'max'), report)
    },
    bargauge: (panel, report) => {
      if (thresholdsOf(panel) !== undefined) report('its thresholds are left out: bars have none in Perses')
      return { kind: 'BarChart', spec: numberOf(panel, report) }
    },
    barchart: (panel, report) => ({ kind: 'BarChart', spec: numberOf(panel, report) }),
    piechart: (panel, report) => ({ kind: 'PieChart', spec: { ...numberOf(panel, report), radius: 50 } }),
    heatmap: (panel, report) => {
      const unit = textAt(recordAt(panel, 'options', 'yAxis'), 'unit') || textAt(recordAt(panel, 'yAxis'), 'format')
      return { kind: 'HeatMapChart', spec: { yAxisFormat: formatOf(unit, undefined, report) } }
    },
    'status-history': toStates,
    'state-timeline': toStates,
    table: toTable,
    'table-old': toTable,
    text: (panel, report) => {
      const mode = textAt(recordAt(panel, 'options'), 'mode') || textAt(panel, 'mode')
      if (mode === 'html') report('HTML is shown as the text it is')
      return {
        kind: 'Markdown',
        spec: { text: textAt(recordAt(panel, 'options'), 'content') || textAt(panel, 'content') },
      }
    },
  }),
)

function toTable(panel: Json, report: Report): Plugin {
  return { kind: 'Table', spec: tableOf(panel, report) }
}

function toStates(panel: Json, report: Report): Plugin {
  const mappings = mappingsOf(panel, report)
  if (mappings.length === 0 && thresholdsOf(panel) !== undefined) {
    report('its thresholds are left out: states have mappings only in Perses')
  }
  return { kind: 'StatusHistoryChart', spec: { mappings } }
}

function graphOf(panel: Json, report: Report): Out {
  const [axis, second] = listAt(panel, 'yaxes')
  if (listAt(panel, 'seriesOverrides').length > 0) report('overrides of single series are left out')
  if (isTrueAt(second, 'show') && listAt(panel, 'seriesOverrides').some((one) => numberAt(one, 'yaxis') === 2)) {
    report('the second axis is left out: its series use the first axis')
  }
  if (textAt(panel, 'nullPointMode') === 'null as zero')
    report('missing values are zero in Grafana, and a gap in Perses')
  const axisMode = textAt(recordAt(panel, 'xaxis'), 'mode')
  if (axisMode === 'series' || axisMode === 'histogram')
    report(`the x axis is time in Perses, and ${axisMode} in Grafana`)
  const fill = numberAt(panel, 'fill') ?? 0
  return {
    legend: legendOf(panel, report),
    thresholds: thresholdsOf(panel),
    yAxis: {
      format: formatOf(textAt(axis, 'format'), numberAt(axis, 'decimals') ?? numberAt(panel, 'decimals'), report),
      ...bounds(axis),
      label: textAt(axis, 'label') || undefined,
      ...((numberAt(axis, 'logBase') ?? 1) > 1 ? { logBase: numberAt(axis, 'logBase') } : {}),
    },
    visual: {
      ...(isTrueAt(panel, 'bars') ? { display: 'bar' } : {}),
      ...lineWidth(numberAt(panel, 'linewidth')),
      ...(fill > 0 ? { areaOpacity: Math.min(1, fill / 10) } : {}),
      ...(isTrueAt(panel, 'stack') ? { stack: isTrueAt(panel, 'percentage') ? 'percent' : 'all' } : {}),
      ...(textAt(panel, 'nullPointMode') === 'connected' ? { connectNulls: true } : {}),
      ...(isTrueAt(panel, 'points') ? { showPoints: 'always' } : {}),
    },
  }
}

function seriesOf(panel: Json, report: Report): Out {
  const defaults = defaultsOf(panel)
  const custom = recordAt(defaults, 'custom')
  const draw = textAt(custom, 'drawStyle')
  const stack = textAt(recordAt(custom, 'stacking'), 'mode')
  const scale = recordAt(custom, 'scaleDistribution')
  const dash = textAt(recordAt(custom, 'lineStyle'), 'fill')
  const fill = numberAt(custom, 'fillOpacity') ?? 0
  const isDrawn = textAt(recordAt(custom, 'thresholdsStyle'), 'mode')
  return {
    legend: legendOf(panel, report),
    thresholds: isDrawn === '' || isDrawn === 'off' ? undefined : thresholdsOf(panel),
    yAxis: {
      format: panelFormat(panel, report),
      ...bounds(defaults),
      label: textAt(custom, 'axisLabel') || undefined,
      ...(textAt(scale, 'type') === 'log' ? { logBase: numberAt(scale, 'log') ?? 10 } : {}),
    },
    visual: {
      ...(draw === 'bars' ? { display: 'bar' } : {}),
      ...lineWidth(numberAt(custom, 'lineWidth')),
      ...(dash === 'dash' ? { lineStyle: 'dashed' } : dash === 'dot' ? { lineStyle: 'dotted' } : {}),
      ...(fill > 0 ? { areaOpacity: Math.min(1, fill / 100) } : {}),
      ...(stack === 'normal' ? { stack: 'all' } : stack === 'percent' ? { stack: 'percent' } : {}),
      ...(custom['spanNulls'] === true ? { connectNulls: true } : {}),
      showPoints: textAt(custom, 'showPoints') === 'always' || draw === 'points' ? 'always' : undefined,
    },
  }
}

function bounds(axis: unknown): Out {
  return { min: numberAt(axis, 'min'), max: numberAt(axis, 'max') }
}

function lineWidth(width: number | undefined): Out {
  return width === undefined || width === 0 ? {} : { lineWidth: Math.min(3, Math.max(0.25, width)) }
}

function statOf(panel: Json, report: Report): Out {
  const options = recordAt(panel, 'options')
  const mappings = mappingsOf(panel, report)
  const hasSparkline = textAt(options, 'graphMode') === 'area' || isTrueAt(recordAt(panel, 'sparkline'), 'show')
  const color = textAt(options, 'colorMode')
  for (const word of ['prefix', 'postfix'] as const) {
    if (textAt(panel, word) !== '') report(`its ${word} ${textAt(panel, word)} is left out`)
  }
  if (textAt(options, 'textMode') === 'name') report('it shows the name of the series in Grafana, and the value here')
  const label = /^\/\^(\w+)\$\/$/.exec(textAt(recordAt(options, 'reduceOptions'), 'fields'))?.[1]
  const isSolid = color === 'background' || color === 'background_solid' || isTrueAt(panel, 'colorBackground')
  return {
    ...numberOf(panel, report),
    thresholds: thresholdsOf(panel),
    ...(hasSparkline ? { sparkline: {} } : {}),
    ...(isSolid ? { colorMode: 'background_solid' } : color === 'none' ? { colorMode: 'none' } : {}),
    ...(mappings.length === 0 ? {} : { mappings }),
    ...(label === undefined || label === 'Value' ? {} : { metricLabel: label }),
  }
}

function gaugeOf(panel: Json, min: number | undefined, max: number | undefined, report: Report): Plugin {
  if (min !== undefined && min !== 0) report(`the gauge starts at ${min} in Grafana, and at 0 in Perses`)
  return { kind: 'GaugeChart', spec: { ...numberOf(panel, report), max, thresholds: thresholdsOf(panel) } }
}

/** The single number of a panel or of each of its series. */
function numberOf(panel: Json, report: Report): Out {
  return { calculation: reduction(panel, report), format: panelFormat(panel, report) }
}
