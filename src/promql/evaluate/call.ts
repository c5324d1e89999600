import { Labels } from '../../model/labels.ts'
import { FUNCTIONS } from '../functions.ts'
import { unwrapParens, type Call } from '../ast.ts'
import { absentLabels, absenceOf, callRangeFunction } from './range-functions.ts'
import type { Evaluation } from './evaluation.ts'
import { perStep, stepTimeMs, type Steps } from './steps.ts'
import { gridOf, scalarsOf, textOf, type Value } from './value.ts'
import { dropNames, singleRow, type Grid } from './grid.ts'
import { floatsOf, mapHistograms, withoutHistograms } from './histogram-cells.ts'
import { bucketFractions, bucketQuantiles, HISTOGRAM_NUMBERS, labelledQuantiles } from './histogram-functions.ts'
import { callInfo } from './info.ts'
import { labelJoin, labelReplace } from './label-functions.ts'
import { CALENDAR, MATH, calendarOf, clamp, mapBySteps, mapValues, maxOf, minOf, roundTo } from './scalar-functions.ts'
import { evaluateSelector } from './select.ts'
import { sortedByLabels, sortedByValue } from './sort.ts'
import { runPieces, type Pieces } from './pieces.ts'

/** A scalar per step, or a vector, at once or in pieces. */
type Result = Float64Array | Grid | Pieces<Grid>

/** A function of evaluated arguments, whose types the checker guarantees. */
type Implementation = (args: readonly Value[], call: Call, steps: Steps, evaluation: Evaluation) => Result

const constant = (value: number, steps: Steps): Float64Array => new Float64Array(steps.count).fill(value)

const IMPLEMENTATIONS: Readonly<Record<string, Implementation>> = {
  absent: ([vector], call) => absenceOf(gridOf(vector), absentLabels(call.args[0]!)),
  clamp: ([vector, least, most], _, __, evaluation) =>
    clamp(gridOf(vector), scalarsOf(least), scalarsOf(most), evaluation),
  clamp_max: ([vector, scalar], _, __, evaluation) => {
    const most = scalarsOf(scalar)
    return mapBySteps(gridOf(vector), (value, s) => minOf(most[s]!, value), evaluation)
  },
  clamp_min: ([vector, scalar], _, __, evaluation) => {
    const least = scalarsOf(scalar)
    return mapBySteps(gridOf(vector), (value, s) => maxOf(least[s]!, value), evaluation)
  },
  end: (_, __, steps, { queryEndMs }) => constant(queryEndMs / 1000, steps),
  histogram_fraction: ([lower, upper, vector], call, _, evaluation) =>
    bucketFractions(call, scalarsOf(lower), scalarsOf(upper), gridOf(vector), evaluation),
  histogram_quantile: ([phi, vector], call, steps, evaluation) =>
    bucketQuantiles(call, scalarsOf(phi), gridOf(vector), steps, evaluation),
  histogram_quantiles: ([vector, label, ...phis], call, steps, evaluation) =>
    labelledQuantiles(call, gridOf(vector), textOf(label), phis.map(scalarsOf), steps, evaluation),
  label_join: ([vector, ...texts]) => labelJoin(gridOf(vector), texts.map(textOf)),
  label_replace: ([vector, ...texts], _, __, { budget }) =>
    labelReplace(gridOf(vector), texts.map(textOf), budget.options),
  max_of: ([a, b]) => scalarsOf(a).map((value, s) => maxOf(value, scalarsOf(b)[s]!)),
  min_of: ([a, b]) => scalarsOf(a).map((value, s) => minOf(value, scalarsOf(b)[s]!)),
  pi: (_, __, steps) => constant(Math.PI, steps),
  range: (_, __, steps, { queryStartMs, queryEndMs }) => constant((queryEndMs - queryStartMs) / 1000, steps),
  round: ([vector, to], _, __, evaluation) => {
    const nearest = to === undefined ? undefined : scalarsOf(to)
    return mapBySteps(gridOf(vector), (value, s) => roundTo(value, nearest?.[s] ?? 1), evaluation)
  },
  scalar: ([vector], _, steps) => onlyValues(floatsOf(gridOf(vector)), steps),
  sort: ([vector]) => sortedByValue(floatsOf(gridOf(vector)), false),
  sort_by_label: ([vector, ...names]) => sortedByLabels(gridOf(vector), names.map(textOf), false),
  sort_by_label_desc: ([vector, ...names]) => sortedByLabels(gridOf(vector), names.map(textOf), true),
  sort_desc: ([vector]) => sortedByValue(floatsOf(gridOf(vector)), true),
  start: (_, __, steps, { queryStartMs }) => constant(queryStartMs / 1000, steps),
  step: (_, __, steps, { queryStepMs }) => constant(queryStepMs / 1000, steps),
  time: (_, __, steps) => perStep(steps, (s) => stepTimeMs(steps, s) / 1000),
  vector: ([scalar]) => singleRow(Labels.EMPTY, scalarsOf(scalar)),
}

export async function evaluateCall(call: Call, steps: Steps, evaluation: Evaluation): Promise<Value> {
  if (FUNCTIONS[call.func]!.args.includes('matrix')) return callRangeFunction(call, steps, evaluation)
  if (call.func === 'info') return callInfo(call, steps, evaluation)
  if (call.func === 'timestamp') return { type: 'vector', grid: await timestamp(call, steps, evaluation) }
  const args: Value[] = []
  for (const arg of call.args) args.push(await evaluation.evaluate(arg, steps, evaluation))
  evaluation.budget.check()
  if (call.func.startsWith('sort') && steps.count > 1) evaluation.annotations.warn('sortInRangeQuery', call)
  const result = resultOf(args, call, steps, evaluation)
  if (result instanceof Float64Array) return { type: 'scalar', values: result }
  return { type: 'vector', grid: 'next' in result ? await runPieces(result, evaluation.budget) : result }
}

function resultOf(args: readonly Value[], call: Call, steps: Steps, evaluation: Evaluation): Result {
  const math = MATH[call.func]
  if (math !== undefined) return mapValues(gridOf(args[0]), math, evaluation)
  const part = CALENDAR[call.func]
  if (part !== undefined) return calendarOf(part, args[0], steps, evaluation)
  const ofHistogram = HISTOGRAM_NUMBERS[call.func]
  if (ofHistogram !== undefined) return dropNames(mapHistograms(gridOf(args[0]), ofHistogram, evaluation))
  return IMPLEMENTATIONS[call.func]!(args, call, steps, evaluation)
}

/** For a selector, the time of its sample; for any other expression, the time of the step. */
async function timestamp(call: Call, steps: Steps, evaluation: Evaluation): Promise<Grid> {
  const arg = unwrapParens(call.args[0]!)
  if (arg.kind === 'vector') return dropNames(await evaluateSelector(arg, steps, evaluation, 'timestamps'))
  const grid = gridOf(await evaluation.evaluate(arg, steps, evaluation))
  return mapBySteps(withoutHistograms(grid), (_, s) => stepTimeMs(steps, s) / 1000, evaluation)
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
