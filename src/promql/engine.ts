import { sortInSteps } from '../base/sort-in-steps.ts'
import type { ExemplarSeries } from '../model/exemplar.ts'
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
  Selectors,
  StepCount,
  VectorSample,
} from './query-engine.ts'
import { type HistogramCells, labelsOf, refuseSameLabels, type Grid } from './evaluate/grid.ts'
import type { Cancellation } from '../base/cancellation.ts'
import { FleetError } from '../base/errors.ts'
import { compareLabels, compareText, Labels } from '../model/labels.ts'
import type { Matcher } from '../model/matcher.ts'
import type { Portions, Queryable } from '../model/queryable.ts'
import type { TimeRange } from '../model/time-range.ts'
import { Annotations } from './annotations.ts'
import { unwrapParens, type Expr } from './ast.ts'
import { Budget, type BudgetShares } from './budget.ts'
import type { EngineOptions } from './engine-options.ts'
import { Explainer } from './explainer.ts'
import type { ExplainedNode, Explanation } from './explanation.ts'
import { evaluate } from './evaluate/evaluate.ts'
import { extendedMatrix } from './evaluate/extended.ts'
import type { Evaluation } from './evaluate/evaluation.ts'
import { perStep, stepTimeMs, type Steps } from './evaluate/steps.ts'
import { gridOf, type Value } from './evaluate/value.ts'
import { RowCache } from './evaluate/row-cache.ts'
import { evaluateRange } from './evaluate/range-vector.ts'
import { StepSamples } from './evaluate/step-samples.ts'
import { refuseEarly } from './evaluate/refuse-early.ts'
import { selectorTimeMs } from './evaluate/select.ts'
import { runPieces, LABELS_CELLS, pieceMask, type Pieces } from './evaluate/pieces.ts'
import { newestSamples, type NewestSample } from './newest.ts'
import { ParsedQueries, type ParsedQuery } from './parsed-queries.ts'
import { typeOf } from './check.ts'

type Compare<T> = (a: T, b: T) => number

interface LocalEngineInputs extends BudgetShares {
  readonly queryable: Queryable
  readonly options: EngineOptions
  /** For the timeout and the statistics only; the query has its own evaluation time. */
  readonly nowMs: () => number
}

/** The engine, which can also explain how it evaluates a query. Of the signal it reads only whether it is aborted. */
export interface LocalEngine extends QueryEngine, QueryExplainer {
  instant(query: InstantQuery, signal?: Cancellation): Promise<QueryResult>
  range(query: RangeQuery, signal?: Cancellation): Promise<QueryResult>
  series(selectors: Selectors, range: TimeRange, signal?: Cancellation): Promise<readonly Labels[]>
  labelNames(selectors: Selectors, range: TimeRange, signal?: Cancellation): Promise<readonly string[]>
  labelValues(name: string, selectors: Selectors, range: TimeRange, signal?: Cancellation): Promise<readonly string[]>
  exemplars(selectors: Selectors, range: TimeRange, signal?: Cancellation): Promise<readonly ExemplarSeries[]>
  /** See `newestSamples`. */
  newest(selectors: Selectors, range: TimeRange, signal?: Cancellation): Promise<readonly NewestSample[]>
  explain(query: InstantQuery | RangeQuery, signal?: Cancellation): Promise<Explanation>
}

/** PromQL over a store in the same thread. */
export function createLocalEngine({ queryable, options, nowMs, ...shares }: LocalEngineInputs): LocalEngine {
  const rowCache = new RowCache()
  const parsed = new ParsedQueries(options)
  const budgetOf = (query: QueryOptions, signal?: Cancellation): Budget =>
    new Budget(options, Math.min(query.timeoutMs ?? Infinity, options.timeoutMs), nowMs, signal, shares)
  const parse = (query: InstantQuery | RangeQuery): ParsedQuery => {
    const { startMs, endMs, stepMs } = timesOf(query)
    return parsed.get(query.expr, { stepMs, rangeMs: endMs - startMs })
  }
  const evaluated = async (
    query: InstantQuery | RangeQuery,
    { expr, ...traits }: ParsedQuery,
    budget: Budget,
    explainer?: Explainer,
  ): Promise<QueryResult> => {
    const { startMs, endMs, stepMs } = timesOf(query)
    const annotations = new Annotations(query.expr)
    const steps: Steps = 'timeMs' in query ? { startMs, stepMs: 1, count: 1 } : stepsOf(query)
    const stepSamples = query.countsSteps === true ? new StepSamples(steps.count) : undefined
    const evaluation: Evaluation = {
      queryable,
      budget,
      annotations,
      lookbackMs: query.lookbackMs ?? options.lookbackMs,
      subqueryStepMs: options.subqueryStepMs,
      rollupRunsMin: options.rollupRunsMin,
      queryStartMs: startMs,
      queryEndMs: endMs,
      queryStepMs: stepMs,
      selections: new Map(),
      ...traits,
      answers: new Map(),
      rowCache: explainer === undefined ? rowCache : explainer.recording(rowCache),
      ...(explainer === undefined ? {} : { explainer }),
      // A repeated part counts each time, so it is evaluated each time.
      ...(stepSamples === undefined ? {} : { stepSamples, repeats: new Map() }),
      evaluate,
    }
    const isInstant = 'timeMs' in query
    const value = await (isInstant ? instantValue(expr, steps, evaluation) : rangeValue(expr, steps, evaluation))
    return {
      value,
      warnings: annotations.warnings,
      infos: annotations.infos,
      stats: {
        samplesRead: budget.samplesRead,
        seriesRead: budget.seriesRead,
        evalMs: budget.elapsedMs,
        ...(stepSamples === undefined ? {} : { samplesByStep: byStep(stepSamples, steps) }),
      },
    }
  }
  const within = async <T>(budget: Budget, work: (budget: Budget) => Promise<T>): Promise<T> => {
    try {
      return await work(budget)
    } finally {
      budget.release()
    }
  }
  // Async, so that a parse error becomes a rejection.
  const run = async (query: InstantQuery | RangeQuery, signal?: Cancellation): Promise<QueryResult> =>
    within(budgetOf(query, signal), (budget) => evaluated(query, parse(query), budget))
  const union = <T>(
    selectors: Selectors,
    read: (matchers: readonly Matcher[]) => Portions<T>,
    compare: Compare<T>,
    signal?: Cancellation,
  ): Promise<readonly T[]> => within(budgetOf({}, signal), (budget) => unionOf(selectors, read, compare, budget))
  return {
    instant: run,
    range: run,
    explain: async (query, signal) =>
      within(budgetOf(query, signal), async (budget) => {
        const explainer = new Explainer(budget)
        const tree = parse(query)
        const result = await evaluated(query, tree, budget, explainer)
        return explanationOf(query, result, budget, explainer.treeOf(tree.expr), options)
      }),
    series: (selectors, range, signal) =>
      union(selectors, (matchers) => queryable.series(matchers, range), compareLabels, signal),
    labelNames: (selectors, range, signal) =>
      union(orAll(selectors), (matchers) => queryable.labelNames(matchers, range), compareText, signal),
    labelValues: (name, selectors, range, signal) =>
      union(orAll(selectors), (matchers) => queryable.labelValues(name, matchers, range), compareText, signal),
    exemplars: (selectors, range, signal) =>
      union(
        selectors,
        (matchers) => [queryable.exemplars?.(matchers, range) ?? []],
        (a, b) => compareLabels(a.labels, b.labels),
        signal,
      ),
    newest: async (selectors, range, signal) =>
      within(budgetOf({}, signal), (budget) => newestSamples(queryable, selectors, range, budget)),
    metadata: (name) => settle(() => queryable.metadata?.(name) ?? []),
  }
}

/** The times of a query; the step of an instant query is 0. */
function timesOf(query: InstantQuery | RangeQuery): Pick<RangeQuery, 'startMs' | 'endMs' | 'stepMs'> {
  return 'timeMs' in query ? { startMs: query.timeMs, endMs: query.timeMs, stepMs: 0 } : query
}

/** No selector means all series. */
function orAll(selectors: Selectors): Selectors {
  return selectors.length === 0 ? [[]] : selectors
}

/** Turns a thrown failure of the store into a rejection. */
function settle<T>(read: () => T): Promise<T> {
  return new Promise((resolve) => {
    resolve(read())
  })
}

/** What is read for each selector, as one sorted list without repeats. */
async function unionOf<T>(
  selectors: Selectors,
  read: (matchers: readonly Matcher[]) => Portions<T>,
  compare: Compare<T>,
  budget: Budget,
): Promise<readonly T[]> {
  const all: T[] = []
  for (const matchers of selectors) {
    for (const portion of read(matchers)) {
      budget.holdBytes(portion.length * LISTED_ITEM_BYTES)
      for (const item of portion) all.push(item)
      if (budget.isSliceOver) await budget.yieldThread()
    }
  }
  return runPieces(withoutRepeats(all, compare), budget)
}

/** A label set with its texts shared takes about this much, a value less. */
const LISTED_ITEM_BYTES = 256

function* withoutRepeats<T>(items: T[], compare: Compare<T>): Pieces<T[]> {
  yield* sortInSteps(items, compare)
  let count = 0
  for (let i = 0; i < items.length; i++) {
    if (count === 0 || compare(items[count - 1]!, items[i]!) !== 0) items[count++] = items[i]!
    if ((i & LISTED_MASK) === LISTED_MASK) yield
  }
  items.length = count
  return items
}

const LISTED_MASK = pieceMask(LABELS_CELLS)

function explanationOf(
  query: InstantQuery | RangeQuery,
  { warnings, infos }: QueryResult,
  { busyMs, waitedMs, samplesRead, resultBytes }: Budget,
  root: ExplainedNode,
  { samplesMax, resultBytesMax }: EngineOptions,
): Explanation {
  const { startMs, endMs, stepMs } = timesOf(query)
  const isInstant = 'timeMs' in query
  return {
    query: query.expr,
    startMs,
    endMs,
    stepMs: isInstant ? undefined : stepMs,
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

function byStep({ counts }: StepSamples, steps: Steps): StepCount[] {
  return Array.from(counts, (samples, s) => ({ timeMs: stepTimeMs(steps, s), samples }))
}

async function instantValue(expr: Expr, steps: Steps, evaluation: Evaluation): Promise<QueryValue> {
  const timeMs = steps.startMs
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
  evaluation.stepSamples?.addWindows(series, rangeMs, Float64Array.of(endMs))
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

async function rangeValue(expr: Expr, steps: Steps, evaluation: Evaluation): Promise<QueryValue> {
  const type = typeOf(expr)
  if (type !== 'scalar' && type !== 'vector') {
    const got = type === 'matrix' ? 'range vector' : 'string'
    const message = `invalid expression type "${got}" for range query, must be Scalar or instant Vector`
    throw new FleetError('bad_request', message)
  }
  await refuseEarly(expr, steps, evaluation)
  const value = await evaluate(expr, steps, evaluation)
  return { type: 'matrix', series: await runPieces(matrixOf(value, steps), evaluation.budget) }
}

function* matrixOf(value: Value, steps: Steps): Pieces<MatrixSeries[]> {
  if (value.type === 'scalar') {
    const timesMs = perStep(steps, (s) => stepTimeMs(steps, s))
    return [{ labels: Labels.EMPTY, timesMs, values: value.values }]
  }
  const grid = gridOf(value)
  const series: MatrixSeries[] = []
  const allTimesMs = perStep(steps, (s) => stepTimeMs(steps, s))
  const mask = pieceMask(steps.count + LABELS_CELLS)
  for (let row = 0; row < grid.labels.length; row++) {
    if ((row & mask) === mask) yield
    series.push(pointsOf(grid, row, allTimesMs))
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
  return yield* sortInSteps(shown, (a, b) => compareLabels(a.labels, b.labels))
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
