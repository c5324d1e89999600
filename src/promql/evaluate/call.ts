import { Labels } from '../../model/labels.ts'
import { FUNCTIONS } from '../functions.ts'
import { unwrapParens, type Call } from '../ast.ts'
import { absentLabels, absenceOf, callRangeFunction, WINDOW_KERNELS } from './range-functions.ts'
import type { Evaluation } from './evaluation.ts'
import { perStep, stepTimeMs, type Steps } from './steps.ts'
import type { Value } from './value.ts'
import { dropNames, singleRow, type Grid } from './grid.ts'
import { floatsOf, mapHistograms, withoutHistograms } from './histogram-cells.ts'
import { bucketFractions, bucketQuantiles, HISTOGRAM_NUMBERS, labelledQuantiles } from './histogram-functions.ts'
import { callInfo } from './info.ts'
import { sortedByLabels } from './label-sort.ts'
import { labelJoin, labelReplace } from './label-functions.ts'
import {
  CALENDAR,
  MATH,
  callCalendar,
  clamp,
  mapBySteps,
  mapValues,
  maxOf,
  minOf,
  roundTo,
} from './scalar-functions.ts'
import { evaluateSelector } from './select.ts'
import { compareRank, takeRows } from './top.ts'
import { runPieces, sortInPieces, type Pieces } from './pieces.ts'

/** A function of evaluated arguments. */
type Implementation = (args: Arguments, call: Call, steps: Steps, evaluation: Evaluation) => Value | Promise<Value>

/** The evaluated arguments of a call, by position. The checker guarantees their types. */
class Arguments {
  readonly #values: readonly Value[]

  constructor(values: readonly Value[]) {
    this.#values = values
  }

  vector(index: number): Grid {
    const value = this.#values[index]
    if (value?.type !== 'vector') throw new TypeError('bug: the checker let something else through as a vector')
    return value.grid
  }

  scalar(index: number): Float64Array {
    const value = this.#values[index]
    if (value?.type !== 'scalar') throw new TypeError('bug: the checker let something else through as a scalar')
    return value.values
  }

  string(index: number): string {
    const value = this.#values[index]
    if (value?.type !== 'string') throw new TypeError('bug: the checker let something else through as a string')
    return value.value
  }

  has(index: number): boolean {
    return index < this.#values.length
  }

  /** All strings from `index` on. */
  strings(index: number): string[] {
    return this.#values.slice(index).map((_, i) => this.string(index + i))
  }
}

const vector = (grid: Grid): Value => ({ type: 'vector', grid })

const constant = (value: number, steps: Steps): Value => ({
  type: 'scalar',
  values: new Float64Array(steps.count).fill(value),
})

const IMPLEMENTATIONS: Readonly<Record<string, Implementation>> = {
  absent: (args, call) => vector(absenceOf(args.vector(0), absentLabels(call.args[0]!))),
  clamp: (args, _, __, evaluation) => vector(clamp(args.vector(0), args.scalar(1), args.scalar(2), evaluation)),
  clamp_max: (args, _, __, evaluation) => {
    const most = args.scalar(1)
    return vector(mapBySteps(args.vector(0), (value, s) => minOf(most[s]!, value), evaluation))
  },
  clamp_min: (args, _, __, evaluation) => {
    const least = args.scalar(1)
    return vector(mapBySteps(args.vector(0), (value, s) => maxOf(least[s]!, value), evaluation))
  },
  end: (_, __, steps, { queryEndMs }) => constant(queryEndMs / 1000, steps),
  histogram_fraction: (args, call, _, evaluation) =>
    vector(bucketFractions(call, args.scalar(0), args.scalar(1), args.vector(2), evaluation)),
  histogram_quantile: (args, call, steps, evaluation) =>
    vector(bucketQuantiles(call, args.scalar(0), args.vector(1), steps, evaluation)),
  histogram_quantiles: (args, call, steps, evaluation) => {
    const columns = call.args.slice(2).map((_, i) => args.scalar(i + 2))
    return vector(labelledQuantiles(call, args.vector(0), args.string(1), columns, steps, evaluation))
  },
  label_join: async (args, _, __, { budget }) =>
    vector(await runPieces(labelJoin(args.vector(0), args.strings(1)), budget)),
  label_replace: async (args, _, __, { budget }) =>
    vector(await runPieces(labelReplace(args.vector(0), args.strings(1)), budget)),
  max_of: (args) => ({ type: 'scalar', values: args.scalar(0).map((value, s) => maxOf(value, args.scalar(1)[s]!)) }),
  min_of: (args) => ({ type: 'scalar', values: args.scalar(0).map((value, s) => minOf(value, args.scalar(1)[s]!)) }),
  pi: (_, __, steps) => constant(Math.PI, steps),
  range: (_, __, steps, { queryStartMs, queryEndMs }) => constant((queryEndMs - queryStartMs) / 1000, steps),
  round: (args, _, __, evaluation) => {
    const nearest = args.has(1) ? args.scalar(1) : undefined
    return vector(mapBySteps(args.vector(0), (value, s) => roundTo(value, nearest?.[s] ?? 1), evaluation))
  },
  scalar: (args, _, steps) => ({ type: 'scalar', values: onlyValues(floatsOf(args.vector(0)), steps) }),
  sort: async (args, _, __, { budget }) => vector(await runPieces(sorted(floatsOf(args.vector(0)), false), budget)),
  sort_by_label: async (args, _, __, { budget }) =>
    vector(await runPieces(sortedByLabels(args.vector(0), args.strings(1), false), budget)),
  sort_by_label_desc: async (args, _, __, { budget }) =>
    vector(await runPieces(sortedByLabels(args.vector(0), args.strings(1), true), budget)),
  sort_desc: async (args, _, __, { budget }) => vector(await runPieces(sorted(floatsOf(args.vector(0)), true), budget)),
  start: (_, __, steps, { queryStartMs }) => constant(queryStartMs / 1000, steps),
  step: (_, __, steps, { queryStepMs }) => constant(queryStepMs / 1000, steps),
  time: (_, __, steps) => ({
    type: 'scalar',
    values: perStep(steps, (s) => stepTimeMs(steps, s) / 1000),
  }),
  vector: (args) => vector(singleRow(Labels.EMPTY, args.scalar(0))),
}

/** Whether a function is implemented here; a test keeps this equal to the checker's table. */
export function isImplemented(func: string): boolean {
  return (
    [IMPLEMENTATIONS, MATH, CALENDAR, HISTOGRAM_NUMBERS, WINDOW_KERNELS].some((table) => Object.hasOwn(table, func)) ||
    func === 'timestamp' ||
    func === 'info' ||
    func === 'absent_over_time' ||
    func === 'double_exponential_smoothing'
  )
}

export async function evaluateCall(call: Call, steps: Steps, evaluation: Evaluation): Promise<Value> {
  if (FUNCTIONS[call.func]!.args.includes('matrix')) return callRangeFunction(call, steps, evaluation)
  if (call.func === 'info') return callInfo(call, steps, evaluation)
  if (call.func === 'timestamp') return timestamp(call, steps, evaluation)
  if (Object.hasOwn(CALENDAR, call.func)) return callCalendar(call, steps, evaluation)
  const values: Value[] = []
  for (const arg of call.args) values.push(await evaluation.evaluate(arg, steps, evaluation))
  evaluation.budget.check()
  if (call.func.startsWith('sort') && steps.count > 1) evaluation.annotations.sortInRangeQuery(call)
  const args = new Arguments(values)
  const math = MATH[call.func]
  if (math !== undefined) return vector(await runPieces(mapValues(args.vector(0), math, evaluation), evaluation.budget))
  const ofHistogram = HISTOGRAM_NUMBERS[call.func]
  if (ofHistogram !== undefined) return vector(dropNames(mapHistograms(args.vector(0), ofHistogram, evaluation)))
  return IMPLEMENTATIONS[call.func]!(args, call, steps, evaluation)
}

/** For a selector, the time of its sample; for any other expression, the time of the step. */
async function timestamp(call: Call, steps: Steps, evaluation: Evaluation): Promise<Value> {
  const arg = unwrapParens(call.args[0]!)
  if (arg.kind === 'vector') return vector(dropNames(await evaluateSelector(arg, steps, evaluation, 'timestamps')))
  const value = await evaluation.evaluate(arg, steps, evaluation)
  if (value.type !== 'vector') throw new TypeError('bug: the checker let something else through as a vector')
  return vector(mapBySteps(withoutHistograms(value.grid), (_, s) => stepTimeMs(steps, s) / 1000, evaluation))
}

/** The value of the only series present at a step, or NaN. */
function onlyValues(grid: Grid, steps: Steps): Float64Array {
  const found = new Uint32Array(steps.count)
  const values = new Float64Array(steps.count).fill(NaN)
  for (let cell = 0; cell < grid.values.length; cell++) {
    if (grid.present[cell] === 0) continue
    const s = cell % steps.count
    values[s] = ++found[s]! === 1 ? grid.values[cell]! : NaN
  }
  return values
}

/** Rows by the values of the first step, the only step of an instant query; a range query sorts by labels. */
function* sorted(grid: Grid, isDescending: boolean): Pieces<Grid> {
  if (grid.steps !== 1) return grid
  const rows = Array.from(grid.present.keys()).filter((row) => grid.present[row] === 1)
  return takeRows(
    grid,
    yield* sortInPieces(rows, (a, b) => compareRank(grid.values[a]!, grid.values[b]!, isDescending)),
  )
}
