/**
 * The queries of the dashboards about upgrades and workloads, for some clusters: variables are replaced by their defaults, and
 * every selector is limited to the clusters. A query that does not parse is left out; lint reports it.
 */
import type { BundleQuery } from '../../bundle/content.ts'
import { stepMsOf } from '../../bundle/collect/samples.ts'
import { BUNDLE_LIMITS } from '../../bundle/limits.ts'
import type { LinkedCatalog } from '../../catalog/metric-uses.ts'
import { CLUSTER_LABEL } from '../../model/cluster-identity.ts'
import { ALL_VALUES, type Variable } from '../../model/dashboard.ts'
import { formatDuration } from '../../model/duration.ts'
import type { TimeRange } from '../../model/time-range.ts'
import { selectorsOf, type Expr } from '../../promql/ast.ts'
import { forSome } from '../../promql/by-label.ts'
import { formatExpr } from '../../promql/format.ts'
import { parseExpr } from '../../promql/parse.ts'
import type { ParseOptions } from '../../promql/parse-options.ts'
import { PromqlError } from '../../promql/promql-error.ts'

/** Tags of the dashboards. */
const TAGS: ReadonlySet<string> = new Set(['upgrades', 'workloads'])
/** Scrapes that a rate needs. */
const RATE_STEPS = 4
const RATE_MS_MIN = 4 * 60_000

export function panelQueries(
  { dashboards }: LinkedCatalog,
  clusters: readonly string[],
  window: TimeRange,
  language: ParseOptions,
): readonly BundleQuery[] {
  if (clusters.length === 0) return []
  const stepMs = stepMsOf(window, BUNDLE_LIMITS.pointsMax)
  const found = new Map<string, BundleQuery>()
  for (const { model } of dashboards) {
    if (!model.tags.some((tag) => TAGS.has(tag))) continue
    const values = new Map([...durations(window, stepMs), ...model.variables.map(defaultOf)])
    for (const panel of model.panels) {
      for (const query of panel.queries) {
        if (query.kind !== 'prometheus') continue
        const parsed = parsedOf(replaced(query.expr, values), language)
        if (parsed === undefined || selectorsOf(parsed).length === 0) continue
        const expr = formatExpr(forSome(parsed, CLUSTER_LABEL, clusters))
        if (!found.has(expr)) found.set(expr, { title: `${model.title}: ${panel.title || panel.id}`, expr })
      }
    }
  }
  return [...found.values()]
}

/** The expression of a rule for its clusters, and the series that it reads. */
export function ruleQueries(
  name: string,
  text: string,
  clusters: readonly string[],
  language: ParseOptions,
): readonly BundleQuery[] {
  const parsed = parsedOf(text, language)
  if (parsed === undefined) return []
  const limited = clusters.length === 0 ? parsed : forSome(parsed, CLUSTER_LABEL, clusters)
  const selectors = new Set(selectorsOf(limited).map(formatExpr))
  return [
    { title: `Rule ${name}`, expr: formatExpr(limited) },
    ...Array.from(selectors, (expr) => ({ title: `Series of the rule ${name}`, expr })),
  ]
}

function parsedOf(text: string, language: ParseOptions): Expr | undefined {
  try {
    return parseExpr(text, language)
  } catch (thrown) {
    if (thrown instanceof PromqlError) return undefined
    throw thrown
  }
}

function durations({ fromMs, toMs }: TimeRange, stepMs: number): readonly (readonly [string, string])[] {
  const rate = formatDuration(Math.max(RATE_MS_MIN, RATE_STEPS * stepMs))
  const [step, range] = [formatDuration(stepMs), formatDuration(toMs - fromMs)]
  return [
    ...[['__interval', step] as const, ['__rate_interval', rate] as const, ['__range', range] as const],
    ...[['__interval_ms', String(stepMs)] as const, ['__range_s', String((toMs - fromMs) / 1000)] as const],
  ]
}

/** A pattern that matches all values, or the default. */
function defaultOf(variable: Variable): readonly [string, string] {
  if (variable.kind === 'text') return [variable.name, variable.value]
  const { name, allowsAll, allowsMultiple, customAllValue, defaultValues, source } = variable
  const [first] = defaultValues
  const isAll = first === undefined || first === ALL_VALUES
  if (isAll && (allowsAll || allowsMultiple)) return [name, customAllValue === '' ? '.*' : customAllValue]
  const known = source.kind === 'static' ? source.values[0]?.value : undefined
  return [name, (isAll ? known : first) ?? '.*']
}

const USE = /\$(\w+)|\$\{(\w+)(?::\w+)?\}/g

function replaced(text: string, values: ReadonlyMap<string, string>): string {
  return text.replace(USE, (use, bare: string | undefined, braced: string | undefined) => {
    return values.get(bare ?? braced ?? '') ?? use
  })
}
