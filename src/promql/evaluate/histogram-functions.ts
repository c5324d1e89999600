import type { Histogram } from '../../model/histogram.ts'
import { LabelList } from '../../model/label-rows.ts'
import { METRIC_NAME, type Labels } from '../../model/labels.ts'
import type { Call, Expr } from '../ast.ts'
import { histogramFraction } from '../histogram/fraction.ts'
import { histogramQuantile, histogramVariance } from '../histogram/quantile.ts'
import { isQuantile } from '../annotations.ts'
import { formatGoFloat } from '../../base/go-float.ts'
import type { Evaluation } from './evaluation.ts'
import { stepTimeMs, type Steps } from './steps.ts'
import { dropNames, hasCell, labelsOf, mapRowsInPieces, mergeEqualRows, stacked, type Grid } from './grid.ts'
import type { Pieces } from './pieces.ts'
import { groupRows } from './groups.ts'
import { bucketFraction, bucketQuantile, hasInfinity, tidy, type Buckets } from './histogram.ts'
import { floatsOf, hasHistograms, mapHistograms, withoutHistograms } from './histogram-cells.ts'

/** The label with a bucket's upper bound. */
const BOUND_LABEL = 'le'
const BOUND_LABELS = [BOUND_LABEL] as const

/** Scalar properties of a native histogram. */
export const HISTOGRAM_NUMBERS: Readonly<Record<string, (histogram: Histogram) => number>> = {
  histogram_avg: ({ sum, count }) => sum / count,
  histogram_count: ({ count }) => count,
  histogram_stddev: (histogram) => Math.sqrt(histogramVariance(histogram)),
  histogram_stdvar: histogramVariance,
  histogram_sum: ({ sum }) => sum,
}

/** `histogram_quantile(φ, v)`. */
export function bucketQuantiles(
  call: Call,
  phis: Float64Array,
  grid: Grid,
  steps: Steps,
  evaluation: Evaluation,
): Pieces<Grid> {
  evaluation.annotations.checkQuantiles(phis, call.args[0]!)
  return quantilesOf(phis, grid, call.args[1]!, steps, isQuantile, evaluation)
}

/**
 * `histogram_quantiles(v, label, φ, ...)`: several quantiles, distinguished by a label with the value φ. A φ that
 * changes between steps creates a series for each of its values.
 */
export function* labelledQuantiles(
  call: Call,
  grid: Grid,
  label: string,
  columns: readonly Float64Array[],
  steps: Steps,
  evaluation: Evaluation,
): Pieces<Grid> {
  const parts: Grid[] = []
  for (const [i, phis] of columns.entries()) {
    evaluation.annotations.checkQuantiles(phis, call.args[i + 2]!)
    // A histogram is normalized once for all of its quantiles.
    const isFirst = (phi: number, s: number): boolean =>
      isQuantile(phi) && !columns.slice(0, i).some((others) => isQuantile(others[s]!))
    for (const phi of new Set(phis)) {
      const present = grid.present.map((is, cell) => (Object.is(phis[cell % grid.steps], phi) ? is : 0))
      const some = { ...grid, present }
      const quantiles = dropNames(yield* quantilesOf(phis, some, call.args[0]!, steps, isFirst, evaluation))
      const labels = yield* mapRowsInPieces(quantiles.labels, (_, row) =>
        labelsOf(quantiles, row).with(label, formatLabelValue(phi)),
      )
      parts.push({ ...quantiles, labels, isNameless: false, isOneName: true })
    }
  }
  return mergeEqualRows(yield* stacked(parts, grid.steps))
}

function quantilesOf(
  phis: Float64Array,
  grid: Grid,
  place: Expr,
  steps: Steps,
  isReported: (phi: number, step: number) => boolean,
  evaluation: Evaluation,
): Pieces<Grid> {
  const { annotations } = evaluation
  return overHistograms(grid, place, evaluation, {
    classic: (buckets, s, metricName) => {
      const raised = tidy(buckets)
      if (raised !== undefined && hasInfinity(buckets) && isReported(phis[s]!, s)) {
        annotations.forcedMonotonicity(raised, stepTimeMs(steps, s), metricName, place)
      }
      return bucketQuantile(phis[s]!, buckets)
    },
    native: (histogram, s, metricName) => {
      const { value, nan } = histogramQuantile(phis[s]!, histogram)
      if (nan !== undefined) annotations.inform('nanInQuantile', place, nan, metricName)
      return value
    },
  })
}

/** A number as an OpenMetrics label value: integers have a fraction. */
function formatLabelValue(value: number): string {
  const text = formatGoFloat(value, 'g')
  return Number.isFinite(value) && !/[e.]/.test(text) ? `${text}.0` : text
}

/** `histogram_fraction(lower, upper, v)`. */
export function bucketFractions(
  call: Call,
  lower: Float64Array,
  upper: Float64Array,
  grid: Grid,
  evaluation: Evaluation,
): Pieces<Grid> {
  const { annotations } = evaluation
  return overHistograms(grid, call.args[2]!, evaluation, {
    classic: (buckets, s) => {
      tidy(buckets)
      return bucketFraction(lower[s]!, upper[s]!, buckets)
    },
    native: (histogram, s, metricName) => {
      const { value, hasNaN } = histogramFraction(lower[s]!, upper[s]!, histogram)
      if (hasNaN) annotations.inform('nanInFraction', call.args[2]!, metricName)
      return value
    },
  })
}

/** Computes one number from a histogram of either kind at a step. */
interface Reduce {
  readonly classic: (buckets: Buckets, step: number, metricName: string) => number
  readonly native: (histogram: Histogram, step: number, metricName: string) => number
}

/**
 * Reduces histograms of both kinds to numbers. Where a classic and a native histogram have the same labels and name at
 * a step, neither has a result.
 */
function* overHistograms(vector: Grid, place: Expr, evaluation: Evaluation, reduce: Reduce): Pieces<Grid> {
  if (!hasHistograms(vector)) return overClassic(withoutHistograms(vector), place, evaluation, reduce.classic)
  const { classic, native } = withoutConflicts(vector, place, evaluation)
  const ofClassic = overClassic(classic, place, evaluation, reduce.classic)
  const ofNative = dropNames(
    mapHistograms(native, (one, s, row) => reduce.native(one, s, metricNameOf(vector, row)), evaluation),
  )
  return mergeEqualRows(yield* stacked([ofClassic, ofNative], vector.steps))
}

/** The metric name for annotations. */
export function metricNameOf(grid: Grid, row: number): string {
  return grid.isNameless ? '' : grid.labels.valueAt(row, METRIC_NAME)
}

/** Floats and histograms of a vector, without histograms of both kinds at a step. */
function withoutConflicts(
  vector: Grid,
  place: Expr,
  { annotations, rowCache }: Evaluation,
): { readonly classic: Grid; readonly native: Grid } {
  const { steps, histograms, labels } = vector
  const floats = floatsOf(vector)
  const native = vector.present.map((is, cell) => (histograms?.[cell] === undefined ? 0 : is))
  const { ids } = groupRows(vector, BOUND_LABELS, true, rowCache)
  const identities = Array.from({ length: labels.length }, (_, row) => `${ids[row]!} ${metricNameOf(vector, row)}`)
  const nativeRows = new Map<string, number>()
  identities.forEach((identity, row) => {
    if (hasCell({ ...vector, present: native }, row)) nativeRows.set(identity, row)
  })
  const classicPresent = floats.present.slice()
  const nativePresent = native.slice()
  identities.forEach((identity, row) => {
    const other = nativeRows.get(identity)
    if (other === undefined || parseBound(labels.valueAt(row, BOUND_LABEL)) === undefined) return
    for (let s = 0; s < steps; s++) {
      if (floats.present[row * steps + s] === 0 || native[other * steps + s] === 0) continue
      annotations.warn('mixedClassicAndNative', place, metricNameOf(vector, row))
      classicPresent[row * steps + s] = 0
      nativePresent[other * steps + s] = 0
    }
  })
  return { classic: { ...floats, present: classicPresent }, native: { ...vector, present: nativePresent } }
}

/** Collects the buckets of each classic histogram at each step and reduces them to one value. */
function overClassic(grid: Grid, place: Expr, evaluation: Evaluation, reduce: Reduce['classic']): Grid {
  const { steps } = grid
  const { members, bounds, labels } = histogramsOf(grid, place, evaluation)
  evaluation.budget.takeCells(labels.length, steps)
  const values = new Float64Array(labels.length * steps)
  const present = new Uint8Array(labels.length * steps)
  members.forEach((rows, id) => {
    const buckets: Buckets = { count: 0, bounds: new Float64Array(rows.length), counts: new Float64Array(rows.length) }
    const metricName = metricNameOf(grid, rows[0]!)
    for (let s = 0; s < steps; s++) {
      buckets.count = 0
      for (const row of rows) {
        if (grid.present[row * steps + s] === 0) continue
        buckets.bounds[buckets.count] = bounds[row]!
        buckets.counts[buckets.count++] = grid.values[row * steps + s]!
      }
      if (buckets.count === 0) continue
      values[id * steps + s] = reduce(buckets, s, metricName)
      present[id * steps + s] = 1
    }
  })
  return mergeEqualRows({ steps, labels: new LabelList(labels), isNameless: false, isOneName: true, values, present })
}

/** The rows of each histogram, and the bound of each row. Rows with an invalid bound are omitted, with a warning. */
function histogramsOf(
  grid: Grid,
  place: Expr,
  { annotations, rowCache }: Evaluation,
): { members: number[][]; bounds: Float64Array; labels: Labels[] } {
  // Histograms of two metrics are separate although the result has no name, as in Prometheus.
  const isByName = !grid.isOneName && !grid.isNameless
  const groups = groupRows(grid, BOUND_LABELS, true, rowCache)
  const ids = new Map<string, number>()
  const members: number[][] = []
  const labels: Labels[] = []
  const bounds = new Float64Array(grid.labels.length)
  for (let row = 0; row < grid.labels.length; row++) {
    const text = grid.labels.valueAt(row, BOUND_LABEL)
    const bound = parseBound(text)
    if (bound === undefined) {
      if (hasCell(grid, row)) annotations.warn('badBucketLabel', place, text, metricNameOf(grid, row))
      continue
    }
    bounds[row] = bound
    const key = `${groups.ids[row]!} ${isByName ? grid.labels.valueAt(row, METRIC_NAME) : ''}`
    let id = ids.get(key)
    if (id === undefined) {
      id = members.length
      ids.set(key, id)
      members.push([])
      labels.push(groups.labels.at(groups.ids[row]!))
    }
    members[id]!.push(row)
  }
  return { members, bounds, labels }
}

/** A bound as Go parses a float; `undefined` when invalid. */
function parseBound(text: string): number | undefined {
  const infinity = /^([+-]?)inf(?:inity)?$/i.exec(text)
  if (infinity !== null) return infinity[1] === '-' ? -Infinity : Infinity
  return /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(text) ? Number(text) : undefined
}
