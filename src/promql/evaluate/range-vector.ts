import type { RangeVector, RangeSeries } from './range-series.ts'
import type { Histogram } from '../../model/histogram.ts'
import { bitsOf, isStaleAt } from '../../model/sample.ts'
import type { SeriesColumns } from '../../model/series.ts'
import type { Expr, MatrixSelector, Subquery } from '../ast.ts'
import { countingInto, type Evaluation } from './evaluation.ts'
import { stepTimeMs, type Steps } from './steps.ts'
import { labelsOf, type Grid, type HistogramCells } from './grid.ts'
import { withResetHints } from './reset-hints.ts'
import { hasOneName, lensOf, selectSeries } from './select.ts'
import { subquerySteps } from './subquery-steps.ts'
import { gridOf } from './value.ts'
import { runPieces, pieceMask, type Pieces } from './pieces.ts'

/** The range vector of `selector[range]` or of a subquery. `func` is passed to the store. */
export function evaluateRange(expr: Expr, steps: Steps, evaluation: Evaluation, func?: string): Promise<RangeVector> {
  const { explainer } = evaluation
  if (explainer === undefined) return rangeOf(expr, steps, evaluation, func)
  return explainer.measure(expr, steps, () => rangeOf(expr, steps, evaluation, func))
}

async function rangeOf(
  expr: Expr,
  steps: Steps,
  evaluation: Evaluation,
  func: string | undefined,
): Promise<RangeVector> {
  if (expr.kind === 'matrix') return rangeOfSelector(expr, steps, evaluation, func)
  if (expr.kind === 'subquery') return rangeOfSubquery(expr, steps, evaluation)
  if (expr.kind === 'paren') return rangeOf(expr.expr, steps, evaluation, func)
  throw new TypeError(`bug: the checker let a ${expr.kind} through where a range vector is expected`)
}

function rangeOfSelector(
  { selector, rangeMs }: MatrixSelector,
  steps: Steps,
  evaluation: Evaluation,
  func: string | undefined,
): RangeVector {
  const lens = lensOf(selector, evaluation)
  const hint = { rangeMs, ...(func === undefined ? {} : { func }) }
  const isCounting = evaluation.countingSelectors.has(selector)
  // The hint of a window's first sample depends on the sample before the window.
  const windowMs = isCounting ? rangeMs + evaluation.lookbackMs : rangeMs
  const found = selectSeries(selector, lens, steps, windowMs, hint, evaluation)
  const series = isCounting ? found.map(withResetHints) : found
  return { series: series.map(withoutStaleMarkers), rangeMs, lens, isOneName: hasOneName(selector) }
}

/** HOT. Returns the same columns when there are no stale markers, which is nearly always. */
export function withoutStaleMarkers(columns: SeriesColumns): RangeSeries {
  if (columns.histograms !== undefined) return withoutStaleElements(columns, columns.histograms)
  const { values, timesMs, count } = columns
  let first = 0
  while (first < count && values[first] === values[first]) first++
  if (first === count) return columns
  const bits = bitsOf(values)
  const keptTimes = new Float64Array(count)
  const keptValues = new Float64Array(count)
  let kept = 0
  for (let i = 0; i < count; i++) {
    if (isStaleAt(bits, i)) continue
    keptTimes[kept] = timesMs[i]!
    keptValues[kept++] = values[i]!
  }
  return { labels: columns.labels, count: kept, timesMs: keptTimes, values: keptValues }
}

function withoutStaleElements(
  { labels, timesMs, values, count }: SeriesColumns,
  histograms: HistogramCells,
): RangeSeries {
  const bits = bitsOf(values)
  const kept: number[] = []
  for (let i = 0; i < count; i++) if (histograms[i] !== undefined || !isStaleAt(bits, i)) kept.push(i)
  const cells = kept.map((i) => histograms[i])
  return {
    labels,
    count: kept.length,
    timesMs: Float64Array.from(kept, (i) => timesMs[i]!),
    values: Float64Array.from(kept, (i) => values[i]!),
    ...(cells.some((histogram) => histogram !== undefined) ? { histograms: cells } : {}),
  }
}

/** The inner expression at the steps of the subquery. Its results are the samples of the range vector. */
async function rangeOfSubquery(expr: Subquery, steps: Steps, evaluation: Evaluation): Promise<RangeVector> {
  const { rangeMs } = expr
  const lens = lensOf(expr, evaluation)
  const inner = subquerySteps(expr, steps, evaluation)
  if (inner === undefined) return { series: [], rangeMs, lens, isOneName: true }
  // The samples of a step are the results of the subquery in its window, as in Prometheus, not those below.
  const part = countingInto(undefined, evaluation)
  const grid = gridOf(await part.evaluate(expr.expr, inner, part))
  const series = await runPieces(samplesOf(grid, inner), evaluation.budget)
  return { series, rangeMs, lens, isOneName: grid.isOneName || grid.isNameless }
}

/** The values of a grid as samples at the times of its steps. */
function* samplesOf(grid: Grid, inner: Steps): Pieces<RangeSeries[]> {
  const series: RangeSeries[] = []
  const mask = pieceMask(inner.count)
  for (let row = 0; row < grid.labels.length; row++) {
    if ((row & mask) === mask) yield
    const timesMs = new Float64Array(inner.count)
    const values = new Float64Array(inner.count)
    let count = 0
    for (let s = 0; s < inner.count; s++) {
      const cell = row * inner.count + s
      if (grid.present[cell] === 0) continue
      timesMs[count] = stepTimeMs(inner, s)
      values[count++] = grid.values[cell]!
    }
    series.push({ labels: labelsOf(grid, row), count, timesMs, values, ...histogramsOf(grid, row) })
  }
  return series
}

/** The histograms of a row, by sample. */
function histogramsOf({ histograms, present, steps }: Grid, row: number): Pick<RangeSeries, 'histograms'> {
  if (histograms === undefined) return {}
  const cell = row * steps
  const cells = Array.from(histograms.slice(cell, cell + steps)).filter((_, s) => present[cell + s] === 1)
  return cells.some((one) => one !== undefined) ? { histograms: cells.map(withoutHint) } : {}
}

/** Its neighbours in a subquery are not those that the hint was computed from. */
function withoutHint(histogram: Histogram | undefined): Histogram | undefined {
  if (histogram === undefined || histogram.counterReset === 'gauge') return histogram
  return { ...histogram, counterReset: 'unknown' }
}
