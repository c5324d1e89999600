import type { Aggregate } from '../ast.ts'
import { callCountValues } from './count-values.ts'
import type { Evaluation } from './evaluation.ts'
import type { Steps } from './steps.ts'
import { gridOf, scalarsOf, textOf, type Value } from './value.ts'
import type { Grid } from './grid.ts'
import { groupRows, membersOf, type Groups } from './groups.ts'
import { floatsToAggregate, withHistogramTotals } from './histogram-aggregates.ts'
import { floatsOf } from './histogram-cells.ts'
import { addToMean } from './mean.ts'
import { add, type Accumulator } from './kahan.ts'
import { limitCount, limitRatio, ratiosOf } from './limit.ts'
import { quantileOf } from './quantile.ts'
import { selectTop } from './top.ts'
import { runPieces, pieceMask, type Pieces } from './pieces.ts'

/**
 * Aggregations over the series of each step. The group of a row is computed once; then every row is added to the cells
 * of its group, step by step. The definitions are Prometheus 3's: compensated sums, `min` and `max` prefer any number
 * to NaN, the variance is the population variance.
 */
export async function evaluateAggregate(expr: Aggregate, steps: Steps, evaluation: Evaluation): Promise<Value> {
  const param = expr.param === undefined ? undefined : await evaluation.evaluate(expr.param, steps, evaluation)
  const grid = gridOf(await evaluation.evaluate(expr.expr, steps, evaluation))
  evaluation.budget.check()
  return { type: 'vector', grid: await runPieces(aggregated(expr, grid, param, evaluation), evaluation.budget) }
}

/** Aggregations that count samples of any kind. */
const HISTOGRAMS_COUNT: ReadonlySet<string> = new Set(['count', 'group'])

function* aggregated(expr: Aggregate, grid: Grid, param: Value | undefined, evaluation: Evaluation): Pieces<Grid> {
  const { budget, annotations } = evaluation
  const { op } = expr
  if (op === 'count_values') return yield* callCountValues(grid, textOf(param), expr, evaluation)
  const groups = groupRows(grid, expr.grouping, expr.isWithout, evaluation.rowCache)
  const scalars = param === undefined ? NO_SCALARS : scalarsOf(param)
  if (op === 'topk' || op === 'bottomk') {
    return yield* selectTop(floatsToAggregate(grid, expr, evaluation), groups, scalars, op === 'topk')
  }
  if (op === 'limitk') return yield* limitCount(grid, groups, scalars)
  if (op === 'limit_ratio') return yield* limitRatio(grid, ratiosOf(scalars, expr.param!, evaluation))
  if (op === 'quantile') annotations.checkQuantiles(scalars, expr.param!)
  budget.takeCells(groups.labels.length, grid.steps)
  if (grid.histograms === undefined || HISTOGRAMS_COUNT.has(op)) return yield* AGGREGATIONS[op](grid, groups, scalars)
  const isTotal = op === 'sum' || op === 'avg'
  const floats = isTotal ? floatsOf(grid) : floatsToAggregate(grid, expr, evaluation)
  const ofFloats = yield* AGGREGATIONS[op](floats, groups, scalars)
  return isTotal ? yield* withHistogramTotals(ofFloats, grid, groups, expr, evaluation) : ofFloats
}

/** For aggregations without a parameter. */
const NO_SCALARS = new Float64Array(0)

type Aggregation = (grid: Grid, groups: Groups, params: Float64Array) => Pieces<Grid>

type Selecting = 'topk' | 'bottomk' | 'limitk' | 'limit_ratio'

const AGGREGATIONS: Readonly<Record<Exclude<Aggregate['op'], Selecting | 'count_values'>, Aggregation>> = {
  sum,
  avg: average,
  min: (grid, groups) => extreme(grid, groups, 1),
  max: (grid, groups) => extreme(grid, groups, -1),
  count: (grid, groups) => counted(grid, groups, false),
  group: (grid, groups) => counted(grid, groups, true),
  stdvar: (grid, groups) => variance(grid, groups, false),
  stddev: (grid, groups) => variance(grid, groups, true),
  quantile,
}

/** An empty result with one row per group. */
function output(grid: Grid, groups: Groups): Grid {
  const cells = groups.labels.length * grid.steps
  return {
    steps: grid.steps,
    labels: groups.labels,
    isNameless: false,
    isOneName: groups.areNameless,
    values: new Float64Array(cells),
    present: new Uint8Array(cells),
  }
}

// HOT: once per series and step. `add` of kahan.ts written out on columns, which halves the time.
function* sum(grid: Grid, groups: Groups): Pieces<Grid> {
  const { steps, values, present } = grid
  const out = output(grid, groups)
  const mask = pieceMask(steps)
  const sums = out.values
  const corrections = new Float64Array(sums.length)
  for (let row = 0; row < grid.labels.length; row++) {
    if ((row & mask) === mask) yield
    const target = groups.ids[row]! * steps
    for (let s = 0; s < steps; s++) {
      if (present[row * steps + s] === 0) continue
      const value = values[row * steps + s]!
      const cell = target + s
      out.present[cell] = 1
      const before = sums[cell]!
      const after = before + value
      sums[cell] = after
      if (after === Infinity || after === -Infinity) corrections[cell] = 0
      else if (Math.abs(before) >= Math.abs(value)) corrections[cell] = corrections[cell]! + (before - after + value)
      else corrections[cell] = corrections[cell]! + (value - after + before)
    }
  }
  for (let cell = 0; cell < sums.length; cell++) sums[cell] = sums[cell]! + corrections[cell]!
  return out
}

// HOT: once per series and step. The state of a cell is in columns; one accumulator applies `add` to it.
function* average(grid: Grid, groups: Groups): Pieces<Grid> {
  const { steps, values, present } = grid
  const out = output(grid, groups)
  const mask = pieceMask(steps)
  const sums = out.values
  const corrections = new Float64Array(sums.length)
  const counts = new Uint32Array(sums.length)
  const areMeans = new Uint8Array(sums.length)
  const state: Accumulator = { sum: 0, correction: 0 }
  for (let row = 0; row < grid.labels.length; row++) {
    if ((row & mask) === mask) yield
    const target = groups.ids[row]! * steps
    for (let s = 0; s < steps; s++) {
      if (present[row * steps + s] === 0) continue
      const value = values[row * steps + s]!
      const cell = target + s
      counts[cell]!++
      if (out.present[cell] === 0) {
        out.present[cell] = 1
        sums[cell] = value
        continue
      }
      state.sum = sums[cell]!
      state.correction = corrections[cell]!
      addForMean(state, value, counts[cell]!, areMeans, cell)
      sums[cell] = state.sum
      corrections[cell] = state.correction
    }
  }
  for (let cell = 0; cell < sums.length; cell++) {
    const divisor = areMeans[cell] === 0 ? counts[cell]! : 1
    sums[cell] = sums[cell]! / divisor + corrections[cell]! / divisor
  }
  return out
}

/** Adds to a sum, or, once the sum would overflow, to a running mean (`areMeans[cell]` has which). */
function addForMean(state: Accumulator, value: number, count: number, areMeans: Uint8Array, cell: number): void {
  if (areMeans[cell] === 0) {
    const { sum, correction } = state
    add(state, value)
    if (state.sum !== Infinity && state.sum !== -Infinity) return
    areMeans[cell] = 1
    state.sum = sum / (count - 1)
    state.correction = correction / (count - 1)
  }
  addToMean(state, value, count)
}

/** HOT. The minimum (`sign` 1) or maximum (`sign` -1), ignoring NaN. */
function* extreme(grid: Grid, groups: Groups, sign: 1 | -1): Pieces<Grid> {
  const { steps, values, present } = grid
  const out = output(grid, groups)
  const mask = pieceMask(steps)
  for (let row = 0; row < grid.labels.length; row++) {
    if ((row & mask) === mask) yield
    const target = groups.ids[row]! * steps
    for (let s = 0; s < steps; s++) {
      if (present[row * steps + s] === 0) continue
      const value = values[row * steps + s]!
      const best = out.values[target + s]!
      if (out.present[target + s] === 0 || value * sign < best * sign || Number.isNaN(best)) {
        out.values[target + s] = value
        out.present[target + s] = 1
      }
    }
  }
  return out
}

/** HOT. The number of values, or 1 where there are any. */
function* counted(grid: Grid, groups: Groups, isGroup: boolean): Pieces<Grid> {
  const { steps, present } = grid
  const out = output(grid, groups)
  const mask = pieceMask(steps)
  for (let row = 0; row < grid.labels.length; row++) {
    if ((row & mask) === mask) yield
    const target = groups.ids[row]! * steps
    for (let s = 0; s < steps; s++) {
      if (present[row * steps + s] === 0) continue
      out.values[target + s] = isGroup ? 1 : out.values[target + s]! + 1
      out.present[target + s] = 1
    }
  }
  return out
}

/** HOT. Population variance by Welford's method, or its square root. One infinite or NaN value makes it NaN. */
function* variance(grid: Grid, groups: Groups, isRoot: boolean): Pieces<Grid> {
  const { steps, values, present } = grid
  const out = output(grid, groups)
  const mask = pieceMask(steps)
  const means = new Float64Array(out.values.length)
  const counts = new Uint32Array(out.values.length)
  for (let row = 0; row < grid.labels.length; row++) {
    if ((row & mask) === mask) yield
    const target = groups.ids[row]! * steps
    for (let s = 0; s < steps; s++) {
      if (present[row * steps + s] === 0) continue
      const value = values[row * steps + s]!
      const cell = target + s
      counts[cell]!++
      if (out.present[cell] === 0) {
        out.present[cell] = 1
        means[cell] = value
        out.values[cell] = Number.isFinite(value) ? 0 : NaN
        continue
      }
      const deviation = value - means[cell]!
      means[cell] = means[cell]! + deviation / counts[cell]!
      out.values[cell] = out.values[cell]! + deviation * (value - means[cell])
    }
  }
  for (let cell = 0; cell < out.values.length; cell++) {
    const mean = out.values[cell]! / counts[cell]!
    out.values[cell] = isRoot ? Math.sqrt(mean) : mean
  }
  return out
}

/** For `quantile`: a row's values of this many steps are two cache lines. */
const STEPS_AT_ONCE = 16

/** HOT. */
function* quantile(grid: Grid, groups: Groups, params: Float64Array): Pieces<Grid> {
  const { steps, values, present } = grid
  const out = output(grid, groups)
  for (const [id, rows] of membersOf(grid, groups).entries()) {
    // Processes some steps at a time: the values of a row are adjacent, those of a step far apart.
    const samples = new Float64Array(rows.length * STEPS_AT_ONCE)
    const mask = pieceMask(rows.length * STEPS_AT_ONCE)
    for (let first = 0, turn = 0; first < steps; first += STEPS_AT_ONCE, turn++) {
      if ((turn & mask) === mask) yield
      const end = Math.min(steps, first + STEPS_AT_ONCE)
      const counts = new Int32Array(STEPS_AT_ONCE)
      for (const row of rows) {
        for (let s = first; s < end; s++) {
          if (present[row * steps + s] === 0) continue
          samples[(s - first) * rows.length + counts[s - first]!++] = values[row * steps + s]!
        }
      }
      for (let s = first; s < end; s++) {
        const count = counts[s - first]!
        if (count === 0) continue
        const at = (s - first) * rows.length
        out.values[id * steps + s] = quantileOf(params[s]!, samples.subarray(at, at + count))
        out.present[id * steps + s] = 1
      }
    }
  }
  return out
}
