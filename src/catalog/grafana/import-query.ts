/** Queries of a Grafana panel. Only those of Prometheus are carried over: those of Loki have an `expr` too. */
import { parseDuration } from '../../model/duration.ts'
import type { Out, Tell } from './import-options.ts'
import { withBraces } from './import-variable.ts'
import { isRecord, isTrueAt, listAt, recordAt, textAt } from './json-part.ts'
import type { Json } from './json-part.ts'

export function queriesOf(panel: Json, tell: Tell): readonly Out[] {
  return listAt(panel, 'targets').flatMap((target) => queryOf(target, panel, tell))
}

function queryOf(target: Json, panel: Json, tell: Tell): Out[] {
  const ref = textAt(target, 'refId') || '?'
  const source = sourceOf(target) || sourceOf(panel)
  const expr = textAt(target, 'expr')
  if (expr === '' || !isPrometheus(source)) {
    tell(`query ${ref} is not one of Prometheus: left out`)
    return []
  }
  if (isTrueAt(target, 'hide')) {
    tell(`query ${ref} is hidden: left out`)
    return []
  }
  const legend = textAt(target, 'legendFormat')
  const step = leastStep(textAt(target, 'interval') || textAt(panel, 'interval'))
  if (step === undefined) {
    tell(`the least step ${textAt(target, 'interval') || textAt(panel, 'interval')} of query ${ref} is left out`)
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

/** The kind of the data source, where it is said; a name or a variable says none. */
function sourceOf(json: Json): string {
  const type = textAt(recordAt(json, 'datasource'), 'type')
  return isRecord(json['datasource']) && type !== 'datasource' ? type : ''
}

function isPrometheus(type: string): boolean {
  return type === '' || type.includes('prometheus') || type.startsWith('$')
}

/** A length, `>10s` of older ones, or a variable of the dashboard; `undefined` for what is none of these. */
function leastStep(text: string): string | undefined {
  const step = withBraces(text.replace(/^>/, '').trim())
  if (step === '' || parseDuration(step) !== undefined) return step
  return /^\$\{?(?!__)\w+\}?$/.test(step) ? step : undefined
}
