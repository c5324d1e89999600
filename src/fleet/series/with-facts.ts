/**
 * A store that also has the series computed from facts. Stored series of the same names, which earlier versions wrote, are
 * hidden: their values were those of the time at which they were written.
 */
import { FleetError } from '../../base/errors.ts'
import { METRIC_NAME, type Labels } from '../../model/labels.ts'
import { CLUSTER_LABEL } from '../../model/cluster-identity.ts'
import { compileMatcher, type Matcher } from '../../model/matcher.ts'
import type { MetricFamily } from '../../model/metadata.ts'
import type { Portions, Queryable, RunSelection, SelectRequest } from '../../model/queryable.ts'
import type { RegexWork } from '../../model/regex-limits.ts'
import { columnsOf, newestOf } from '../../model/sample-columns.ts'
import type { TimeRange } from '../../model/time-range.ts'
import { DERIVED_METRICS, FACT_SERIES } from './derived-metrics.ts'
import type { FactHistory } from './fact-history.ts'
import { FactRows, FactSelection, JoinedSelection } from './fact-selection.ts'
import type { FactSeries } from './fact-series.ts'

type WholeStore = Required<Queryable>

const FACT_NAMES: ReadonlySet<string> = new Set(FACT_SERIES)
const NOT_OF_FACTS: Matcher = { name: METRIC_NAME, op: '!~', value: FACT_SERIES.join('|') }
const ROWS_OF_PORTION = 2048

/** Which series of a request are computed, and the matchers for the store; `undefined`: no stored series. */
interface Plan {
  readonly names: readonly string[]
  readonly stored: readonly Matcher[] | undefined
  rows?: FactRows
}

/** @param facts `undefined` until the facts of all clusters are read */
export function withFacts(store: WholeStore, facts: () => FactHistory | undefined): WholeStore {
  /** By the lists of a query's selectors, which live as long as its tree. */
  const plans = new WeakMap<readonly Matcher[], Plan>()
  const planOf = (matchers: readonly Matcher[], work: RegexWork | undefined): Plan => {
    let plan = plans.get(matchers)
    if (plan === undefined) plans.set(matchers, (plan = planFor(matchers, work)))
    return plan
  }

  const selectionOf = (
    { matchers, fromMs, toMs, maxSamples, work }: Omit<SelectRequest, 'hint'>,
    plan: Plan,
  ): FactSelection | undefined => {
    if (plan.names.length === 0) return undefined
    const history = facts()
    if (history === undefined) {
      if (plan.stored !== undefined) return undefined
      throw new FleetError(
        'not_ready',
        `the facts of the fleet, from which ${plan.names[0]!} is computed, are being read`,
        {
          hint: 'repeat the request in some seconds',
        },
      )
    }
    const range = { fromMs, toMs: Math.min(toMs, history.untilMs) }
    const found = range.toMs < fromMs ? [] : matching(history, plan.names, matchers, range, work)
    plan.rows = new FactRows(found, plan.rows)
    return new FactSelection(plan.rows, range, maxSamples)
  }
  const selectRuns = (request: SelectRequest): RunSelection => {
    const plan = planOf(request.matchers, request.work)
    const ofFacts = selectionOf(request, plan)
    if (plan.stored === undefined) return ofFacts!
    const stored = store.selectRuns({ ...request, matchers: plan.stored })
    return ofFacts === undefined || ofFacts.rows.length === 0 ? stored : new JoinedSelection(stored, ofFacts)
  }
  const labelsIn = function* (matchers: readonly Matcher[], range: TimeRange, plan: Plan): Portions<Labels> {
    for (const name of plan.names) {
      const selection = selectionOf(
        { matchers, ...range, maxSamples: Infinity },
        { names: [name], stored: plan.stored },
      )
      let portion: Labels[] = []
      for (const labels of selection?.labels() ?? []) {
        portion.push(labels)
        if (portion.length < ROWS_OF_PORTION) continue
        yield portion
        portion = []
      }
      yield portion
    }
  }
  return {
    select: (request) => {
      const plan = planOf(request.matchers, request.work)
      const selection = selectionOf(request, plan)
      const stored = plan.stored === undefined ? [] : store.select({ ...request, matchers: plan.stored })
      if (selection === undefined) return stored
      const isNewestOnly = request.hint?.isNewestOnly === true
      const { length } = selection.rows
      return [
        ...stored,
        ...(isNewestOnly ? [...newestOf(selection)].flat() : columnsOf(selection, 0, length, request.maxSamples)),
      ]
    },
    selectNewest: function* (request) {
      const plan = planOf(request.matchers, request.work)
      const selection = selectionOf(request, plan)
      if (plan.stored !== undefined) yield* store.selectNewest({ ...request, matchers: plan.stored })
      if (selection !== undefined) yield* newestOf(selection)
    },
    selectRuns,
    selectRollup: (request) => {
      const plan = planOf(request.matchers, request.work)
      const selection = selectionOf({ ...request, maxSamples: Infinity }, plan)
      if (plan.stored === undefined || (selection !== undefined && selection.rows.length > 0)) return undefined
      return store.selectRollup({ ...request, matchers: plan.stored })
    },
    series: function* (matchers, range) {
      const plan = planOf(matchers, undefined)
      if (plan.stored !== undefined) yield* store.series(plan.stored, range)
      yield* labelsIn(matchers, range, plan)
    },
    labelNames: function* (matchers, range) {
      const plan = planOf(matchers, undefined)
      if (plan.stored !== undefined) yield* store.labelNames(plan.stored, range)
      for (const portion of labelsIn(matchers, range, plan)) {
        yield [...new Set(portion.flatMap((labels) => Array.from(labels.pairs(), ([name]) => name)))]
      }
    },
    labelValues: function* (name, matchers, range) {
      const plan = planOf(matchers, undefined)
      if (plan.stored !== undefined) yield* store.labelValues(name, plan.stored, range)
      for (const portion of labelsIn(matchers, range, plan)) {
        yield [...new Set(portion.map((labels) => labels.get(name)))].filter((value) => value !== '')
      }
    },
    exemplars: (matchers, range) => store.exemplars(matchers, range),
    metadata: (name) => {
      const own = DERIVED_FAMILIES.filter((family) => name === undefined || family.name === name)
      const names = new Set(own.map((family) => family.name))
      const stored = store.metadata(name).filter((family) => !names.has(family.name))
      return [...stored, ...own].sort((a, b) => (a.name < b.name ? -1 : 1))
    },
  }
}

const DERIVED_FAMILIES: readonly MetricFamily[] = DERIVED_METRICS.map((one) => {
  const unit = 'unit' in one ? one.unit : ''
  return { name: one.name, metadata: [{ type: one.type, help: one.help, unit }] }
})

function planFor(matchers: readonly Matcher[], work: RegexWork | undefined): Plan {
  const ofName = matchers.filter(({ name }) => name === METRIC_NAME)
  const exact = ofName.find(({ op }) => op === '=')
  if (exact !== undefined && !FACT_NAMES.has(exact.value)) return { names: [], stored: matchers }
  const tests = ofName.map((matcher) => compileMatcher(matcher))
  const names = FACT_SERIES.filter((name) => tests.every((matches) => matches(name, work)))
  if (exact !== undefined) return { names, stored: undefined }
  return { names, stored: names.length === 0 ? matchers : [...matchers, NOT_OF_FACTS] }
}

function matching(
  history: FactHistory,
  names: readonly string[],
  matchers: readonly Matcher[],
  range: TimeRange,
  work: RegexWork | undefined,
): readonly FactSeries[] {
  const tests = matchers
    .filter(({ name }) => name !== METRIC_NAME)
    .map((matcher) => ({ name: matcher.name, matches: compileMatcher(matcher) }))
  const ofCluster = tests.filter(({ name }) => name === CLUSTER_LABEL)
  const ofOthers = tests.filter(({ name }) => name !== CLUSTER_LABEL)
  /** Each cluster has many series: its name is tested once. */
  const known = new Map<string, boolean>()
  const isWanted = (cluster: string): boolean => {
    let is = known.get(cluster)
    if (is === undefined) known.set(cluster, (is = ofCluster.every(({ matches }) => matches(cluster, work))))
    return is
  }
  const found: FactSeries[] = []
  for (const name of names) {
    for (const series of history.series(name, range, isWanted)) {
      const { labels } = series
      if (!isWanted(labels.get(CLUSTER_LABEL))) continue
      if (ofOthers.every((test) => test.matches(labels.get(test.name), work))) found.push(series)
    }
  }
  return found
}
