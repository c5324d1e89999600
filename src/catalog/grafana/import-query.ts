/** Queries of a Grafana panel. Only Prometheus queries are converted; Loki queries have an `expr` too. */
import { parseDuration } from '../../model/duration.ts'
import type { Out, Report } from './import-options.ts'
import { withBraces } from './import-variable.ts'
import { isRecord, isTrueAt, listAt, recordAt, textAt, type Json } from './json-part.ts'

export function queriesOf(panel: Json, report: Report): readonly Out[] {
  return listAt(panel, 'targets').flatMap((target) => queryOf(target, panel, report))
}

function queryOf(target: Json, panel: Json, report: Report): Out[] {
  const ref = textAt(target, 'refId') || '?'
  const source = sourceOf(target) || sourceOf(panel)
  const expr = textAt(target, 'expr')
  if (expr === '' || !isPrometheus(source)) {
    report(`query ${ref} is not one of Prometheus: left out`)
    return []
  }
  if (isTrueAt(target, 'hide')) {
    report(`query ${ref} is hidden: left out`)
    return []
  }
  const legend = textAt(target, 'legendFormat')
  const step = leastStep(textAt(target, 'interval') || textAt(panel, 'interval'))
  if (step === undefined) {
    report(`the least step ${textAt(target, 'interval') || textAt(panel, 'interval')} of query ${ref} is left out`)
  }
  const isTable = textAt(panel, 'type').startsWith('table')
  const isInstant = isTrueAt(target, 'instant') && !isTrueAt(target, 'range') && !isTable
  const spec = {
    query: withBraces(expr),
    ...(legend === '' || legend === '__auto' ? {} : { seriesNameFormat: withBraces(legend) }),
    ...(step === undefined || step === '' ? {} : { minStep: step }),
    ...(isInstant ? { instant: true } : {}),
  }
  return [{ kind: 'TimeSeriesQuery', spec: { plugin: { kind: 'PrometheusTimeSeriesQuery', spec } } }]
}

/** The kind of the data source, if declared; a name or a variable declares none. */
function sourceOf(json: Json): string {
  const type = textAt(recordAt(json, 'datasource'), 'type')
  return isRecord(json['datasource']) && type !== 'datasource' ? type : ''
}

function isPrometheus(type: string): boolean {
  return type === '' || type.includes('prometheus') || type.startsWith('$')
}

/** A duration, the older `>10s`, or a variable of the dashboard; `undefined` for other texts. */
function leastStep(text: string): string | undefined {
  const step = withBraces(text.replace(/^>/, '').trim())
  if (step === '' || parseDuration(step) !== undefined) return step
  return /^\$\{?(?!__)\w+\}?$/.test(step) ? step : undefined
}
