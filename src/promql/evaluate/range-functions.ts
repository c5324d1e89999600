import { typeOf } from '../check.ts'
import type { Call, Expr } from '../ast.ts'
import { absentLabels } from './absent.ts'
import { stepTimeMs, type Evaluation, type Steps, type Value } from './evaluation.ts'
import { dropNamesStrictly, type Grid } from './grid.ts'
import { OVER_TIME_KERNELS } from './over-time.ts'
import { evaluateRange, type RangeVector } from './range-vector.ts'
import { RATE_KERNELS } from './rate.ts'
import { REGRESSION_KERNELS } from './regression.ts'
import { lookMs } from './select.ts'
import type { Window, WindowKernel } from './window.ts'

/** Functions of a range vector: a window per series and step, a kernel for each. */
export const WINDOW_KERNELS: Readonly<Record<string, WindowKernel>> = {
  ...RATE_KERNELS,
  ...OVER_TIME_KERNELS,
  ...REGRESSION_KERNELS,
}

/** These give back samples as they are, and so keep the metric's name. */
const KEEPS_NAME: ReadonlySet<string> = new Set(['first_over_time', 'last_over_time'])

const COUNTER_SUFFIX = /_(?:total|sum|count|bucket)$/

export async function callRangeFunction(call: Call, steps: Steps, evaluation: Evaluation): Promise<Value> {
  if (call.func === 'absent_over_time') return absentOverTime(call.args[0]!, steps, evaluation)
  const rangeArg = call.args.find((arg) => typeOf(arg) === 'matrix')!
  const scalarArg = call.args.find((arg) => typeOf(arg) === 'scalar')
  const params = scalarArg === undefined ? undefined : await scalarOf(scalarArg, steps, evaluation)
  if (call.func === 'quantile_over_time') warnOfQuantiles(params!, scalarArg!, evaluation)
  const range = await evaluateRange(rangeArg, steps, evaluation, call.func)
  evaluation.budget.takeCells(range.series.length, steps.count)
  const grid = applyKernel(WINDOW_KERNELS[call.func]!, range, params, steps)
  if (call.func === 'rate' || call.func === 'increase') remarkNonCounters(grid, rangeArg, evaluation)
  return { type: 'vector', grid: KEEPS_NAME.has(call.func) ? grid : dropNamesStrictly(grid) }
}

async function scalarOf(expr: Expr, steps: Steps, evaluation: Evaluation): Promise<Float64Array> {
  const value = await evaluation.evaluate(expr, steps, evaluation)
  if (value.type !== 'scalar') throw new TypeError('bug: the checker let something else through as a scalar')
  return value.values
}

// HOT: moves one window over the samples of each series; both ends only ever move forward.
function applyKernel(kernel: WindowKernel, range: RangeVector, params: Float64Array | undefined, steps: Steps): Grid {
  const { series, rangeMs, lens } = range
  const values = new Float64Array(series.length * steps.count)
  const present = new Uint8Array(series.length * steps.count)
  const window: Window = {
    timesMs: new Float64Array(0),
    values: new Float64Array(0),
    from: 0,
    to: 0,
    startMs: 0,
    endMs: 0,
    stepMs: 0,
    param: 0,
    result: 0,
  }
  const endsMs = Float64Array.from({ length: steps.count }, (_, s) => lookMs(lens, steps, s))
  for (let row = 0; row < series.length; row++) {
    const { timesMs, count } = series[row]!
    window.timesMs = timesMs
    window.values = series[row]!.values
    let from = 0
    let to = 0
    for (let s = 0; s < steps.count; s++) {
      const endMs = endsMs[s]!
      const startMs = endMs - rangeMs
      while (from < count && timesMs[from]! <= startMs) from++
      while (to < count && timesMs[to]! <= endMs) to++
      if (to <= from) continue
      window.from = from
      window.to = to
      window.startMs = startMs
      window.endMs = endMs
      window.stepMs = stepTimeMs(steps, s)
      window.param = params === undefined ? 0 : params[s]!
      if (!kernel(window)) continue
      values[row * steps.count + s] = window.result
      present[row * steps.count + s] = 1
    }
  }
  const labels = series.map((one) => one.labels)
  return { steps: steps.count, labels, isNameless: false, isOneName: range.isOneName, values, present }
}

function warnOfQuantiles(quantiles: Float64Array, place: Expr, { annotations }: Evaluation): void {
  for (const quantile of quantiles) {
    if (!(quantile >= 0 && quantile <= 1)) annotations.invalidQuantile(quantile, place)
  }
}

/** Once per metric: its name does not say counter, but somebody asks for its rate. */
function remarkNonCounters({ labels, present, steps }: Grid, place: Expr, { annotations }: Evaluation): void {
  const known = new Set([''])
  for (let row = 0; row < labels.length; row++) {
    const name = labels[row]!.metricName
    if (known.has(name)) continue
    const isCounter = COUNTER_SUFFIX.test(name)
    if (!isCounter && !present.subarray(row * steps, (row + 1) * steps).includes(1)) continue
    if (!isCounter) annotations.possibleNonCounter(name, place)
    known.add(name)
  }
}

/** 1 where no series has a sample in the window, with the labels that the selector asks for by equality. */
async function absentOverTime(arg: Expr, steps: Steps, evaluation: Evaluation): Promise<Value> {
  const range = await evaluateRange(arg, steps, evaluation, 'absent_over_time')
  evaluation.budget.takeCells(range.series.length, steps.count)
  const found = applyKernel(WINDOW_KERNELS['present_over_time']!, range, undefined, steps)
  return { type: 'vector', grid: absenceOf(found, absentLabels(arg)) }
}

/** One row with 1 at every step at which `found` is empty. */
export function absenceOf(found: Grid, labels: Grid['labels'][number]): Grid {
  const { steps } = found
  const present = new Uint8Array(steps).fill(1)
  for (let i = 0; i < found.present.length; i++) if (found.present[i] === 1) present[i % steps] = 0
  return {
    steps,
    labels: [labels],
    isNameless: false,
    isOneName: true,
    values: new Float64Array(steps).fill(1),
    present,
  }
}
