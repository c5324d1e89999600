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
import { FactRows, FactSelection, JoinedSelection, TableRows, type Accepts } from './fact-selection.ts'
import type { FactColumns } from './fact-table.ts'

type WholeStore = Required<Queryable>

const FACT_NAMES: ReadonlySet<string> = new Set(FACT_SERIES)
const NOT_OF_FACTS: Matcher = { name: METRIC_NAME, op: '!~', value: FACT_SERIES.join('|') }
const ROWS_OF_PORTION = 2048

/** Which series of a request are computed, and the matchers for the store; `undefined`: no stored series. */
interface Plan {
  readonly names: readonly string[]
  readonly stored: readonly Matcher[] | undefined
  readonly filter: LabelFilter
  /** By name, what was selected the last time. */
  readonly selected: Map<string, TableRows>
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
    { fromMs, toMs, maxSamples, work }: Omit<SelectRequest, 'hint' | 'matchers'>,
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
    if (range.toMs < fromMs) return new FactSelection(new FactRows([]), range, maxSamples)
    history.refresh()
    const tables = plan.names.map((name) => {
      const columns = history.columnsOf(name)
      const rows = TableRows.select(columns, range, plan.filter.accepting(columns, work), plan.selected.get(name))
      plan.selected.set(name, rows)
      return rows
    })
    plan.rows = new FactRows(tables, plan.rows)
    return new FactSelection(plan.rows, range, maxSamples)
  }
  const selectRuns = (request: SelectRequest): RunSelection => {
    const plan = planOf(request.matchers, request.work)
    const ofFacts = selectionOf(request, plan)
    if (plan.stored === undefined) return ofFacts!
    const stored = store.selectRuns({ ...request, matchers: plan.stored })
    return ofFacts === undefined || ofFacts.rows.length === 0 ? stored : new JoinedSelection(stored, ofFacts)
  }
  const labelsIn = function* (range: TimeRange, plan: Plan): Portions<Labels> {
    for (const name of plan.names) {
      const ofName = { names: [name], stored: plan.stored, filter: plan.filter, selected: new Map<string, TableRows>() }
      const selection = selectionOf({ ...range, maxSamples: Infinity }, ofName)
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
      yield* labelsIn(range, plan)
    },
    labelNames: function* (matchers, range) {
      const plan = planOf(matchers, undefined)
      if (plan.stored !== undefined) yield* store.labelNames(plan.stored, range)
      for (const portion of labelsIn(range, plan)) {
        yield [...new Set(portion.flatMap((labels) => Array.from(labels.pairs(), ([name]) => name)))]
      }
    },
    labelValues: function* (name, matchers, range) {
      const plan = planOf(matchers, undefined)
      if (plan.stored !== undefined) yield* store.labelValues(name, plan.stored, range)
      for (const portion of labelsIn(range, plan)) {
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
  const filter = new LabelFilter(matchers.filter(({ name }) => name !== METRIC_NAME))
  const selected = new Map<string, TableRows>()
  if (exact !== undefined && !FACT_NAMES.has(exact.value)) return { names: [], stored: matchers, filter, selected }
  const tests = ofName.map((matcher) => compileMatcher(matcher))
  const names = FACT_SERIES.filter((name) => tests.every((matches) => matches(name, work)))
  if (exact !== undefined) return { names, stored: undefined, filter, selected }
  return { names, stored: names.length === 0 ? matchers : [...matchers, NOT_OF_FACTS], filter, selected }
}

/** Whether the labels of series match. The labels of a row do not change, so each row is tested once. */
class LabelFilter {
  readonly #ofCluster: readonly LabelTest[]
  readonly #ofOthers: readonly LabelTest[]
  /** By row: 0: not tested, 1: does not match, 2: matches. */
  readonly #known = new WeakMap<FactColumns, Uint8Array>()

  constructor(matchers: readonly Matcher[]) {
    const tests = matchers.map((matcher) => ({ name: matcher.name, matches: compileMatcher(matcher) }))
    this.#ofCluster = tests.filter(({ name }) => name === CLUSTER_LABEL)
    this.#ofOthers = tests.filter(({ name }) => name !== CLUSTER_LABEL)
  }

  /** The test of rows that are there. */
  accepting(columns: FactColumns, work: RegexWork | undefined): Accepts {
    if (this.#ofCluster.length + this.#ofOthers.length === 0) return () => true
    /** Each cluster has many series: its name is tested once. */
    const clusters = new Map<string, boolean>()
    const isWanted = (cluster: string): boolean => {
      let is = clusters.get(cluster)
      if (is === undefined) clusters.set(cluster, (is = this.#ofCluster.every(({ matches }) => matches(cluster, work))))
      return is
    }
    const isAccepted = (row: number): boolean =>
      isWanted(columns.valueOf(row, CLUSTER_LABEL)) &&
      this.#ofOthers.every(({ name, matches }) => matches(columns.valueOf(row, name), work))
    const known = this.#knownOf(columns)
    return (row) => {
      if (known[row] === 0) known[row] = isAccepted(row) ? 2 : 1
      return known[row] === 2
    }
  }

  #knownOf(columns: FactColumns): Uint8Array {
    const known = this.#known.get(columns)
    if (known !== undefined && known.length >= columns.length) return known
    const larger = new Uint8Array(columns.startsMs.length)
    if (known !== undefined) larger.set(known)
    this.#known.set(columns, larger)
    return larger
  }
}

interface LabelTest {
  readonly name: string
  readonly matches: (text: string, work?: RegexWork) => boolean
}
