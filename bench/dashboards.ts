/**
 * Whether dashboards have a history: every query of every panel, over the default range of its dashboard, as the page sends it,
 * of a server that runs (`--url http://127.0.0.1:4318`, after `npm run demo`). Prints what is empty, and what has points in
 * less than half of the range.
 */
import { ALL_VALUES, type DashboardModel, type PrometheusQuery, type Variable } from '../src/model/dashboard.ts'
import { interpolatePromql, type VariableValue } from '../src/web/lib/dashboards/interpolate.ts'
import { builtIns, minStepOf, spanOf } from '../src/web/lib/dashboards/time-range.ts'

export interface Coverage {
  readonly dashboard: string
  readonly panel: string
  readonly expr: string
  readonly series: number
  /** Steps with a point, of all: 0 to 1. */
  readonly share: number
  readonly tookMs: number
}

/** Instead of the page's choice for a variable without a default: all values. */
const ANYTHING: VariableValue = { values: ['.*'], isPattern: true }

export async function run({ url = 'http://127.0.0.1:4318' }: { readonly url?: string }): Promise<void> {
  const { dashboards } = await read<{ dashboards: readonly { name: string }[] }>(url, '/api/dashboards/v1')
  for (const { name } of dashboards) {
    const { dashboard } = await read<{ dashboard: DashboardModel }>(url, `/api/dashboards/v1/${name}`)
    const found = await coverageOf(url, dashboard, Date.now())
    const full = found.filter(({ share }) => share >= 0.5)
    console.log(
      `${name}: ${dashboard.durationSeconds / 3600} h, ${full.length} of ${found.length} queries have a history`,
    )
    for (const { panel, expr, series, share, tookMs } of found) {
      const text = `${(share * 100).toFixed(0).padStart(4)} % ${String(series).padStart(4)} series ${tookMs.toFixed(0).padStart(5)} ms`
      console.log(`  ${share === 0 ? 'EMPTY' : share < 0.5 ? 'SHORT' : '     '}${text}  ${panel}: ${expr.slice(0, 90)}`)
    }
  }
}

async function coverageOf(url: string, model: DashboardModel, nowMs: number): Promise<readonly Coverage[]> {
  const found: Coverage[] = []
  const own = new Map(model.variables.map((variable) => [variable.name, valueOf(variable)]))
  for (const { title, queries } of model.panels) {
    for (const query of queries) {
      if (query.kind === 'prometheus') found.push(await coverageOfQuery(url, model, title, query, own, nowMs))
    }
  }
  return found
}

async function coverageOfQuery(
  url: string,
  model: DashboardModel,
  panel: string,
  query: PrometheusQuery,
  own: ReadonlyMap<string, VariableValue>,
  nowMs: number,
): Promise<Coverage> {
  const minStep = minStepOf(query, own)
  const span = spanOf({ kind: 'last', seconds: model.durationSeconds }, nowMs, minStep)
  const expr = interpolatePromql(query.expr, new Map([...own, ...builtIns(span, model, minStep)])).replaceAll(
    /\s+/g,
    ' ',
  )
  const { startSeconds: start, endSeconds: end, stepSeconds: step } = span
  const parameters = Object.entries({ query: expr, start, end, step }).map(([key, value]): [string, string] => [
    key,
    String(value),
  ])
  const beganMs = performance.now()
  const { data } = await read<{ data: { result: readonly { values?: readonly [number, string][] }[] } }>(
    url,
    `/api/v1/query_range?${new URLSearchParams(parameters).toString()}`,
  )
  const times = new Set(data.result.flatMap(({ values = [] }) => values.map(([time]) => time)))
  const share = times.size / (Math.floor((end - start) / step) + 1)
  return { dashboard: model.name, panel, expr, series: data.result.length, share, tookMs: performance.now() - beganMs }
}

function valueOf(variable: Variable): VariableValue {
  if (variable.kind === 'text') return { values: [variable.value], isPattern: true }
  const { defaultValues, customAllValue } = variable
  if (defaultValues.length === 0) return ANYTHING
  if (!defaultValues.includes(ALL_VALUES)) return { values: defaultValues, isPattern: false }
  return customAllValue === '' ? ANYTHING : { values: [customAllValue], isPattern: true }
}

async function read<T>(url: string, path: string): Promise<T> {
  const response = await fetch(`${url}${path}`)
  if (!response.ok) throw new Error(`GET ${path}: got ${response.status} ${await response.text()}, want 200`)
  return (await response.json()) as T
}
