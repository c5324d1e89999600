import { Labels, METRIC_NAME } from '../../model/labels.ts'
import { unwrapParens, type Expr, type Call, type MatrixSelector, type VectorSelector } from '../ast.ts'
import { LabelList } from '../../model/label-rows.ts'
import { typeOf } from '../check.ts'
import { countingInto, type Evaluation } from './evaluation.ts'
import { perStep, type Steps } from './steps.ts'
import { scalarsOf, type Value } from './value.ts'
import { dropNamesStrictly, singleRow, stepsWithValues, type Grid } from './grid.ts'
import { doubleExponentialSmoothing, EXPERIMENTAL_KERNELS } from './experimental-over-time.ts'
import { gridOverExtended } from './extended.ts'
import { CellWriter, floatsOf } from './histogram-cells.ts'
import { OVER_TIME_KERNELS } from './over-time.ts'
import { evaluateRange } from './range-vector.ts'
import type { RangeVector, Lens } from './range-series.ts'
import type { StepSamples } from './step-samples.ts'
import { RATE_KERNELS } from './rate.ts'
import { REGRESSION_KERNELS } from './regression.ts'
import { gridOverRollups } from './range-rollups.ts'
import { gridOverRuns, type RangeFunction } from './range-runs.ts'
import { hasOneName, lensOf, selectorTimeMs, selectRuns } from './select.ts'
import { runPieces, type Pieces } from './pieces.ts'
import { slideOverElements } from './slide-elements.ts'
import { slideOverSamples, type WindowKernel } from './window.ts'

/** Functions of a range vector: one window per series and step, one kernel per function. */
export const WINDOW_KERNELS: Readonly<Record<string, WindowKernel>> = {
  ...RATE_KERNELS,
  ...OVER_TIME_KERNELS,
  ...REGRESSION_KERNELS,
  ...EXPERIMENTAL_KERNELS,
}

/** These return samples unchanged, and so keep the metric name. */
const KEEPS_NAME: ReadonlySet<string> = new Set(['first_over_time', 'last_over_time'])

const COUNTER_SUFFIX = /_(?:total|sum|count|bucket)$/

export async function callRangeFunction(call: Call, steps: Steps, evaluation: Evaluation): Promise<Value> {
  if (call.func === 'absent_over_time') return absentOverTime(call.args[0]!, steps, evaluation)
  const rangeArg = call.args.find((arg) => typeOf(arg) === 'matrix')!
  const [scalarArg, secondScalarArg] = call.args.filter((arg) => typeOf(arg) === 'scalar')
  const scalarOf = async (expr: Expr): Promise<Float64Array> =>
    scalarsOf(await evaluation.evaluate(expr, steps, evaluation))
  const params = scalarArg === undefined ? undefined : await scalarOf(scalarArg)
  if (call.func === 'quantile_over_time') evaluation.annotations.checkQuantiles(params!, scalarArg!)
  const kernel =
    secondScalarArg === undefined
      ? WINDOW_KERNELS[call.func]!
      : doubleExponentialSmoothing(await scalarOf(secondScalarArg))
  const over = { name: call.func, kernel, params, firstArg: call.args[0]! }
  const grid = await overRange(over, rangeArg, steps, evaluation)
  if (call.func === 'rate' || call.func === 'increase') remarkNonCounters(floatsOf(grid), rangeArg, evaluation)
  return { type: 'vector', grid: KEEPS_NAME.has(call.func) ? grid : dropNamesStrictly(grid) }
}

/** A function over all windows of a range vector. */
async function overRange(over: RangeFunction, arg: Expr, steps: Steps, evaluation: Evaluation): Promise<Grid> {
  const matrix = unwrapParens(arg)
  const { stepSamples } = evaluation
  if (matrix.kind === 'matrix' && stepSamples !== undefined) {
    await countWindows(matrix, stepSamples, steps, countingInto(undefined, evaluation))
  }
  if (matrix.kind === 'matrix' && matrix.selector.extension !== undefined) {
    return runPieces(gridOverExtended(over.name, matrix, steps, evaluation), evaluation.budget)
  }
  if (matrix.kind === 'matrix' && evaluation.queryable.selectRuns !== undefined) {
    const { selector, rangeMs } = matrix
    const lens = lensOf(selector, evaluation)
    const rolled = await gridOverRollups(over, selector, lens, rangeMs, endsOf(lens, steps), steps, evaluation)
    if (rolled !== undefined) return rolled
    const selection = selectRuns(selector, lens, steps, rangeMs, evaluation)!
    if (selection.hasHistograms !== true) {
      return gridOverRuns(over, selection, rangeMs, endsOf(lens, steps), steps, hasOneName(selector), evaluation)
    }
    evaluation.explainer?.leave(selector.matchers, 'runs cannot represent native histograms')
  }
  if (matrix.kind === 'matrix' && evaluation.queryable.selectRuns === undefined) {
    evaluation.explainer?.leave(matrix.selector.matchers, 'the store has no runs')
  }
  const range = await evaluateRange(arg, steps, evaluation, over.name)
  if (matrix.kind !== 'matrix') stepSamples?.addWindows(range.series, range.rangeMs, endsOf(range.lens, steps))
  evaluation.budget.takeCells(range.series.length, steps.count)
  return runPieces(gridOverSamples(over, range, arg, steps, evaluation), evaluation.budget)
}

/** Adds the samples of each window, without those around extended windows. */
async function countWindows(
  matrix: MatrixSelector,
  stepSamples: StepSamples,
  steps: Steps,
  evaluation: Evaluation,
): Promise<void> {
  const { rangeMs } = matrix
  const name = 'count_over_time'
  const selector: { -readonly [K in keyof VectorSelector]: VectorSelector[K] } = { ...matrix.selector }
  delete selector.extension
  const plain = { ...matrix, selector }
  const lens = lensOf(selector, evaluation)
  const runs = selectRuns(selector, lens, steps, rangeMs, evaluation)
  if (runs !== undefined && runs.hasHistograms !== true) {
    const over = { name, kernel: WINDOW_KERNELS[name]!, params: undefined }
    stepSamples.addCounts(await overRange(over, plain, steps, evaluation))
    return
  }
  const { series } = await evaluateRange(plain, steps, evaluation, name)
  stepSamples.addWindows(series, rangeMs, endsOf(lens, steps))
}

/** The end of the window of each step. */
function endsOf(lens: Lens, steps: Steps): Float64Array {
  return perStep(steps, (s) => selectorTimeMs(lens, steps, s))
}

function* gridOverSamples(
  over: RangeFunction,
  { series, rangeMs, lens, isOneName }: RangeVector,
  place: Expr,
  steps: Steps,
  { annotations }: Evaluation,
): Pieces<Grid> {
  const { kernel, params } = over
  const cells = new CellWriter(series.length * steps.count)
  const { values, present } = cells
  const endsMs = endsOf(lens, steps)
  for (const [row, one] of series.entries()) {
    const { timesMs, values: samples, count } = one
    const cell = row * steps.count
    if (one.histograms === undefined) {
      slideOverSamples(kernel, timesMs, samples, count, endsMs, rangeMs, steps, params, cell, values, present)
    } else {
      const remarks = { annotations, metricName: one.labels.metricName, place, ignoredPlace: over.firstArg ?? place }
      slideOverElements(over, one, endsMs, rangeMs, steps, remarks, cell, cells)
    }
    yield
  }
  const labels = new LabelList(series.map((one) => one.labels))
  return { steps: steps.count, labels, isNameless: false, isOneName, ...cells.columns() }
}

/** Once per metric: a rate of a metric whose name is not that of a counter. */
function remarkNonCounters(grid: Grid, place: Expr, { annotations }: Evaluation): void {
  const { labels, present, steps } = grid
  const known = new Set([''])
  // The common case: one name, and it is that of a counter.
  if (grid.isOneName && labels.length > 0 && COUNTER_SUFFIX.test(labels.valueAt(0, METRIC_NAME))) return
  for (let row = 0; row < labels.length; row++) {
    const name = labels.valueAt(row, METRIC_NAME)
    if (known.has(name)) continue
    const isCounter = COUNTER_SUFFIX.test(name)
    if (!isCounter && !present.subarray(row * steps, (row + 1) * steps).includes(1)) continue
    if (!isCounter) annotations.inform('possibleNonCounter', place, name)
    known.add(name)
  }
}

/** 1 where no series has a sample in the window, with the labels of the selector's equality matchers. */
async function absentOverTime(arg: Expr, steps: Steps, evaluation: Evaluation): Promise<Value> {
  const name = 'present_over_time'
  const found = await overRange({ name, kernel: WINDOW_KERNELS[name]!, params: undefined }, arg, steps, evaluation)
  return { type: 'vector', grid: absenceOf(found, absentLabels(arg)) }
}

/** One row with 1 at every step at which `found` is empty. */
export function absenceOf(found: Grid, labels: Labels): Grid {
  const row = singleRow(labels, new Float64Array(found.steps).fill(1))
  return { ...row, present: stepsWithValues(found).map((is) => 1 - is) }
}

/**
 * The labels of an absent series: those of the selector's equality matchers that occur once. Other expressions give no
 * labels.
 */
export function absentLabels(arg: Expr): Labels {
  const expr = unwrapParens(arg)
  const selector = expr.kind === 'matrix' ? expr.selector : expr
  if (selector.kind !== 'vector') return Labels.EMPTY
  const known = new Map<string, string>()
  const seen = new Set<string>()
  for (const { name, op, value } of selector.matchers) {
    if (name === METRIC_NAME) continue
    if (op === '=' && !seen.has(name)) known.set(name, value)
    else known.delete(name)
    if (op === '=') seen.add(name)
  }
  return Labels.fromPairs(known)
}
