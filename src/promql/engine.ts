import type { Histogram } from '../model/histogram.ts'
import type {
  MatrixSeries,
  InstantQuery,
  QueryEngine,
  QueryExplainer,
  QueryOptions,
  QueryResult,
  QueryValue,
  RangeQuery,
  VectorSample,
} from './query-engine.ts'
import { type HistogramCells, labelsOf, refuseSameLabels, type Grid } from './evaluate/grid.ts'
import type { Cancellation } from '../base/cancellation.ts'
import { FleetError } from '../base/errors.ts'
import { compareLabels, compareText, Labels } from '../model/labels.ts'
import type { Matcher } from '../model/matcher.ts'
import type { Queryable } from '../model/queryable.ts'
import type { TimeRange } from '../model/time-range.ts'
import { Annotations } from './annotations.ts'
import { selectorsOf, unwrapParens, type Expr } from './ast.ts'
import { Budget } from './budget.ts'
import { resolveDurations, type QueryWindow } from './durations.ts'
import type { EngineOptions } from './engine-options.ts'
import { Explainer } from './explainer.ts'
import type { ExplainedNode, Explanation } from './explanation.ts'
import { evaluate } from './evaluate/evaluate.ts'
import { extendedMatrix } from './evaluate/extended.ts'
import type { Evaluation } from './evaluate/evaluation.ts'
import { perStep, stepTimeMs, type Steps } from './evaluate/steps.ts'
import type { Value } from './evaluate/value.ts'
import { RowCache } from './evaluate/row-cache.ts'
import { repeatsOf } from './evaluate/repeats.ts'
import { countingSelectors } from './evaluate/reset-hints.ts'
import { evaluateRange } from './evaluate/range-vector.ts'
import { refuseEarly } from './evaluate/refuse-early.ts'
import { selectorTimeMs } from './evaluate/select.ts'
import { runPieces, LABELS_CELLS, pieceMask, sortInPieces, type Pieces } from './evaluate/pieces.ts'
import { ParsedQueries } from './parsed-queries.ts'
import { typeOf } from './check.ts'

interface LocalEngineInputs {
  readonly queryable: Queryable
  readonly options: EngineOptions
  /** For the timeout and the statistics only; the query has its own evaluation time. */
  readonly nowMs: () => number
}

/** The engine, which can also explain how it evaluates a query. Of the signal it reads only whether it is aborted. */
export interface LocalEngine extends QueryEngine, QueryExplainer {
  instant(query: InstantQuery, signal?: Cancellation): Promise<QueryResult>
  range(query: RangeQuery, signal?: Cancellation): Promise<QueryResult>
  explain(query: InstantQuery | RangeQuery, signal?: Cancellation): Promise<Explanation>
}

/** Properties of a query that follow from its tree; cached as long as the parsed text (`ParsedQueries`). */
type Traits = Pick<Evaluation, 'repeats' | 'countingSelectors' | 'selectorCount'>

/** Trees without durations that depend on the query: later evaluations do not search them again. */
const windowless = new WeakSet<Expr>()

function resolved(tree: Expr, text: string, window: QueryWindow): Expr {
  if (windowless.has(tree)) return tree
  const expr = resolveDurations(tree, text, window)
  if (expr === tree) windowless.add(tree)
  return expr
}

const traitsByTree = new WeakMap<Expr, Traits>()

function traitsOf(expr: Expr): Traits {
  const known = traitsByTree.get(expr)
  if (known !== undefined) return known
  const traits = {
    repeats: repeatsOf(expr),
    countingSelectors: countingSelectors(expr),
    selectorCount: selectorsOf(expr).length,
  }
  traitsByTree.set(expr, traits)
  return traits
}

/** PromQL over a store in the same thread. */
export function createLocalEngine({ queryable, options, nowMs }: LocalEngineInputs): LocalEngine {
  const rowCache = new RowCache()
  const parsed = new ParsedQueries({ experimental: options.experimental })
  const budgetOf = (query: QueryOptions, signal?: Cancellation): Budget =>
    new Budget(options, Math.min(query.timeoutMs ?? Infinity, options.timeoutMs), nowMs, signal)
  const prepare = (
    text: string,
    expr: Expr,
    range: TimeRange,
    stepMs: number,
    query: QueryOptions,
    budget: Budget,
    explainer?: Explainer,
  ): Evaluation => ({
    queryable,
    budget,
    annotations: new Annotations(text),
    lookbackMs: query.lookbackMs ?? options.lookbackMs,
    subqueryStepMs: options.subqueryStepMs,
    rollupRunsMin: options.rollupRunsMin,
    queryStartMs: range.fromMs,
    queryEndMs: range.toMs,
    queryStepMs: stepMs,
    selections: new Map(),
    ...traitsOf(expr),
    answers: new Map(),
    rowCache: explainer === undefined ? rowCache : explainer.recording(rowCache),
    ...(explainer === undefined ? {} : { explainer }),
    evaluate,
  })
  const exprOf = (query: InstantQuery | RangeQuery): Expr => {
    const isInstant = 'timeMs' in query
    const window = isInstant
      ? { stepMs: 0, rangeMs: 0 }
      : { stepMs: query.stepMs, rangeMs: query.endMs - query.startMs }
    return resolved(parsed.get(query.expr), query.expr, window)
  }
  const instant = async (
    query: InstantQuery,
    expr: Expr,
    budget: Budget,
    explainer?: Explainer,
  ): Promise<QueryResult> => {
    const range = { fromMs: query.timeMs, toMs: query.timeMs }
    const evaluation = prepare(query.expr, expr, range, 0, query, budget, explainer)
    return resultOf(await instantValue(expr, query, evaluation), evaluation)
  }
  const range = async (query: RangeQuery, expr: Expr, budget: Budget, explainer?: Explainer): Promise<QueryResult> => {
    const type = typeOf(expr)
    if (type !== 'scalar' && type !== 'vector') {
      const got = type === 'matrix' ? 'range vector' : 'string'
      throw new FleetError(
        'bad_request',
        `invalid expression type "${got}" for range query, must be Scalar or instant Vector`,
      )
    }
    const times = { fromMs: query.startMs, toMs: query.endMs }
    const evaluation = prepare(query.expr, expr, times, query.stepMs, query, budget, explainer)
    return resultOf(await rangeValue(expr, query, evaluation), evaluation)
  }
  return {
    // Async, so that a parse error becomes a rejection.
    instant: async (query, signal) => instant(query, exprOf(query), budgetOf(query, signal)),
    range: async (query, signal) => range(query, exprOf(query), budgetOf(query, signal)),
    async explain(query, signal) {
      const budget = budgetOf(query, signal)
      const explainer = new Explainer(budget)
      const isInstant = 'timeMs' in query
      const expr = exprOf(query)
      const result = await (isInstant ? instant(query, expr, budget, explainer) : range(query, expr, budget, explainer))
      return explanationOf(query, result, budget, explainer.treeOf(expr), options)
    },
    series: (selectors, range) =>
      settle(() =>
        union(
          selectors.map((matchers) => queryable.series(matchers, range)),
          byLabels,
        ),
      ),
    labelNames: (selectors, range) =>
      settle(() =>
        union(
          orAll(selectors).map((matchers) => queryable.labelNames(matchers, range)),
          compareText,
        ),
      ),
    labelValues: (name, selectors, range) =>
      settle(() =>
        union(
          orAll(selectors).map((matchers) => queryable.labelValues(name, matchers, range)),
          compareText,
        ),
      ),
    exemplars: (selectors, range) =>
      settle(() =>
        union(
          selectors.map((matchers) => queryable.exemplars?.(matchers, range) ?? []),
          (a, b) => byLabels(a.labels, b.labels),
        ),
      ),
    metadata: (name) => settle(() => queryable.metadata?.(name) ?? []),
  }
}

/** No selector means all series. */
function orAll(selectors: readonly (readonly Matcher[])[]): readonly (readonly Matcher[])[] {
  return selectors.length === 0 ? [[]] : selectors
}

/** Turns a thrown failure of the store into a rejection. */
function settle<T>(read: () => T): Promise<T> {
  return new Promise((resolve) => {
    resolve(read())
  })
}

function byLabels(a: Labels, b: Labels): number {
  return compareLabels(a, b)
}

/** Several sorted or unsorted lists as one sorted list without repeats. */
function union<T>(lists: readonly (readonly T[])[], compare: (a: T, b: T) => number): readonly T[] {
  const all = lists.flat().sort(compare)
  return all.filter((item, i) => i === 0 || compare(all[i - 1]!, item) !== 0)
}

function resultOf(value: QueryValue, { annotations, budget }: Evaluation): QueryResult {
  return {
    value,
    warnings: annotations.warnings,
    infos: annotations.infos,
    stats: { samplesRead: budget.samplesRead, seriesRead: budget.seriesRead, evalMs: budget.elapsedMs },
  }
}

function explanationOf(
  query: InstantQuery | RangeQuery,
  { warnings, infos }: QueryResult,
  { busyMs, waitedMs, samplesRead, resultBytes }: Budget,
  root: ExplainedNode,
  { samplesMax, resultBytesMax }: EngineOptions,
): Explanation {
  const isInstant = 'timeMs' in query
  return {
    query: query.expr,
    startMs: isInstant ? query.timeMs : query.startMs,
    endMs: isInstant ? query.timeMs : query.endMs,
    stepMs: isInstant ? undefined : query.stepMs,
    steps: isInstant ? 1 : stepsOf(query).count,
    busyMs,
    waitedMs,
    samplesRead,
    samplesMax,
    resultBytes,
    resultBytesMax,
    warnings,
    infos,
    root,
  }
}

function stepsOf({ startMs, endMs, stepMs }: RangeQuery): Steps {
  return { startMs, stepMs, count: Math.floor((endMs - startMs) / stepMs) + 1 }
}

async function instantValue(expr: Expr, { timeMs }: InstantQuery, evaluation: Evaluation): Promise<QueryValue> {
  const steps: Steps = { startMs: timeMs, stepMs: 1, count: 1 }
  await refuseEarly(expr, steps, evaluation)
  if (typeOf(expr) === 'matrix') return instantMatrix(unwrapParens(expr), steps, evaluation)
  const value = await evaluate(expr, steps, evaluation)
  if (value.type === 'scalar') return { type: 'scalar', timeMs, value: value.values[0]! }
  if (value.type === 'string') return { type: 'string', timeMs, value: value.value }
  return { type: 'vector', timeMs, samples: await runPieces(samplesOf(value.grid, timeMs), evaluation.budget) }
}

function* samplesOf(grid: Grid, timeMs: number): Pieces<VectorSample[]> {
  const samples: VectorSample[] = []
  const seen = new Set<string>()
  const mayRepeat = !grid.isOneName && !grid.isNameless
  const mask = pieceMask(LABELS_CELLS)
  for (let row = 0; row < grid.labels.length; row++) {
    if ((row & mask) === mask) yield
    if (grid.present[row] === 0) continue
    const labels = labelsOf(grid, row)
    if (mayRepeat && seen.size === seen.add(labels.key).size) refuseSameLabels()
    const histogram = grid.histograms?.[row]
    samples.push({ labels, value: grid.values[row]!, ...(histogram === undefined ? {} : { histogram }), timeMs })
  }
  return samples
}

/** The samples of a range selector or subquery. */
async function instantMatrix(expr: Expr, steps: Steps, evaluation: Evaluation): Promise<QueryValue> {
  if (expr.kind === 'matrix' && expr.selector.extension !== undefined) {
    const extended = extendedMatrix(expr, steps, evaluation)
    return { type: 'matrix', series: await runPieces(listed(extended), evaluation.budget) }
  }
  const { series, rangeMs, lens } = await evaluateRange(expr, steps, evaluation)
  const endMs = selectorTimeMs(lens, steps, 0)
  const cut = series.map(({ labels, timesMs, values, histograms, count }): MatrixSeries => {
    let from = 0
    while (from < count && timesMs[from]! <= endMs - rangeMs) from++
    let to = from
    while (to < count && timesMs[to]! <= endMs) to++
    const [times, floats] = [timesMs.slice(from, to), values.slice(from, to)]
    if (histograms === undefined) return { labels, timesMs: times, values: floats }
    return { labels, ...splitPoints(times, floats, histograms.slice(from, to)) }
  })
  return { type: 'matrix', series: await runPieces(listed(cut), evaluation.budget) }
}

async function rangeValue(expr: Expr, query: RangeQuery, evaluation: Evaluation): Promise<QueryValue> {
  const steps = stepsOf(query)
  await refuseEarly(expr, steps, evaluation)
  const value = await evaluate(expr, steps, evaluation)
  return { type: 'matrix', series: await runPieces(matrixOf(value, steps), evaluation.budget) }
}

function* matrixOf(value: Value, steps: Steps): Pieces<MatrixSeries[]> {
  if (value.type === 'string') throw new TypeError('bug: a string was let through as a range query')
  if (value.type === 'scalar') {
    const timesMs = perStep(steps, (s) => stepTimeMs(steps, s))
    return [{ labels: Labels.EMPTY, timesMs, values: value.values }]
  }
  const series: MatrixSeries[] = []
  const allTimesMs = perStep(steps, (s) => stepTimeMs(steps, s))
  const mask = pieceMask(steps.count + LABELS_CELLS)
  for (let row = 0; row < value.grid.labels.length; row++) {
    if ((row & mask) === mask) yield
    series.push(pointsOf(value.grid, row, allTimesMs))
  }
  return yield* listed(series)
}

/**
 * A row with a value at every step uses `allTimesMs` itself: rows share it, also when they are sent to another thread.
 */
function pointsOf(grid: Grid, row: number, allTimesMs: Float64Array): MatrixSeries {
  const steps = allTimesMs.length
  const from = row * steps
  const labels = labelsOf(grid, row)
  if (grid.histograms === undefined && !grid.present.subarray(from, from + steps).includes(0)) {
    return { labels, timesMs: allTimesMs, values: grid.values.slice(from, from + steps) }
  }
  const timesMs = new Float64Array(steps)
  const values = new Float64Array(steps)
  const histograms: (Histogram | undefined)[] = []
  let count = 0
  for (let s = 0; s < steps; s++) {
    if (grid.present[from + s] === 0) continue
    timesMs[count] = allTimesMs[s]!
    if (grid.histograms !== undefined) histograms.push(grid.histograms[from + s])
    values[count++] = grid.values[from + s]!
  }
  const points = { timesMs: timesMs.slice(0, count), values: values.slice(0, count) }
  if (grid.histograms === undefined) return { labels, ...points }
  return { labels, ...splitPoints(points.timesMs, points.values, histograms) }
}

/** Series with points, sorted by labels. */
function* listed(series: readonly MatrixSeries[]): Pieces<MatrixSeries[]> {
  const shown = series.filter(({ timesMs, histograms }) => timesMs.length > 0 || histograms !== undefined)
  return yield* sortInPieces(shown, (a, b) => compareLabels(a.labels, b.labels))
}

/** Points of one series in the form of the result: native histograms are separate from floats. */
function splitPoints(timesMs: Float64Array, values: Float64Array, cells: HistogramCells): Omit<MatrixSeries, 'labels'> {
  const histograms: Histogram[] = []
  const histogramTimes: number[] = []
  cells.forEach((histogram, i) => {
    if (histogram === undefined) return
    histograms.push(histogram)
    histogramTimes.push(timesMs[i]!)
  })
  const isFloat = (_: number, i: number): boolean => cells[i] === undefined
  return {
    timesMs: timesMs.filter(isFloat),
    values: values.filter(isFloat),
    ...(histograms.length > 0 ? { histogramTimesMs: Float64Array.from(histogramTimes), histograms } : {}),
  }
}
