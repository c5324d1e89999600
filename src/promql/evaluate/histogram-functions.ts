import { LabelList } from '../../model/label-rows.ts'
import { METRIC_NAME, type Labels } from '../../model/labels.ts'
import type { Call } from '../ast.ts'
import type { Evaluation } from './evaluation.ts'
import { mergeEqualRows, type Grid } from './grid.ts'
import { groupRows } from './groups.ts'
import { bucketFraction, bucketQuantile, tidy, type Buckets } from './histogram.ts'

/** The label with a bucket's upper bound. */
const BOUND_LABEL = 'le'

/** `histogram_quantile(φ, buckets)` over classic buckets. */
export function histogramQuantile(call: Call, phis: Float64Array, grid: Grid, evaluation: Evaluation): Grid {
  for (const phi of phis) {
    if (!(phi >= 0 && phi <= 1)) evaluation.annotations.invalidQuantile(phi, call.args[0]!)
  }
  return overHistograms(call, grid, evaluation, (buckets, s, metricName) => {
    if (tidy(buckets).isForced) evaluation.annotations.forcedMonotonicity(metricName, call.args[1]!)
    return bucketQuantile(phis[s]!, buckets)
  })
}

/** `histogram_fraction(lower, upper, buckets)` over classic buckets. */
export function histogramFraction(
  call: Call,
  lower: Float64Array,
  upper: Float64Array,
  grid: Grid,
  evaluation: Evaluation,
): Grid {
  return overHistograms(call, grid, evaluation, (buckets, s) => {
    tidy(buckets)
    return bucketFraction(lower[s]!, upper[s]!, buckets)
  })
}

type Reduce = (buckets: Buckets, step: number, metricName: string) => number

/** Gathers the buckets of each histogram at each step and reduces them to one value. */
function overHistograms(call: Call, grid: Grid, evaluation: Evaluation, reduce: Reduce): Grid {
  const { steps } = grid
  const { members, bounds, labels } = histogramsOf(call, grid, evaluation)
  evaluation.budget.takeCells(labels.length, steps)
  const values = new Float64Array(labels.length * steps)
  const present = new Uint8Array(labels.length * steps)
  members.forEach((rows, id) => {
    const buckets: Buckets = { count: 0, bounds: new Float64Array(rows.length), counts: new Float64Array(rows.length) }
    const metricName = rows.length === 0 ? '' : grid.isNameless ? '' : grid.labels.at(rows[0]!).metricName
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

/** The rows of each histogram, and the bound of each row. Rows without a readable bound are left out, with a warning. */
function histogramsOf(
  call: Call,
  grid: Grid,
  { annotations, rowCache }: Evaluation,
): { members: number[][]; bounds: Float64Array; labels: Labels[] } {
  // Histograms of two metrics are kept apart although the result has no name, as in Prometheus.
  const isByName = !grid.isOneName && !grid.isNameless
  const groups = groupRows(grid, [BOUND_LABEL], true, rowCache)
  const ids = new Map<string, number>()
  const members: number[][] = []
  const labels: Labels[] = []
  const bounds = new Float64Array(grid.labels.length)
  for (let row = 0; row < grid.labels.length; row++) {
    const text = grid.labels.valueAt(row, BOUND_LABEL)
    const bound = parseBound(text)
    if (bound === undefined) {
      annotations.badBucketLabel(text, grid.isNameless ? '' : grid.labels.valueAt(row, METRIC_NAME), call.args.at(-1)!)
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

/** A bound as Go reads a float; `undefined` when it is none. */
function parseBound(text: string): number | undefined {
  const infinity = /^([+-]?)inf(?:inity)?$/i.exec(text)
  if (infinity !== null) return infinity[1] === '-' ? -Infinity : Infinity
  return /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(text) ? Number(text) : undefined
}
