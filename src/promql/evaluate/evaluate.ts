import type { Expr, Unary, VectorSelector } from '../ast.ts'
import { multiplyHistogram } from '../histogram/scale.ts'
import { evaluateAggregate } from './aggregate.ts'
import { evaluateBinary } from './binary.ts'
import { evaluateCall } from './call.ts'
import { countingInto, type Evaluation } from './evaluation.ts'
import { StepSamples } from './step-samples.ts'
import type { Steps } from './steps.ts'
import { gridOf, type Value } from './value.ts'
import { smoothedGrid } from './extended.ts'
import { dropNames, type Grid } from './grid.ts'
import { gathered, mapElements, type Element } from './histogram-cells.ts'
import { mapValues } from './scalar-functions.ts'
import { evaluateSelector } from './select.ts'
import { isStepInvariant } from './step-invariant.ts'
import { runPieces, type Pieces } from './pieces.ts'

/**
 * Evaluates an expression at every step. One call returns a whole range: a selector is read once, and each operator
 * creates one grid from those of its operands.
 */
export function evaluate(expr: Expr, steps: Steps, evaluation: Evaluation): Promise<Value> {
  const { explainer } = evaluation
  if (explainer === undefined) return evaluateKnown(expr, steps, evaluation)
  return explainer.measure(expr, steps, () => evaluateKnown(expr, steps, evaluation))
}

/** Reuses the result of an equal part at the same steps. */
async function evaluateKnown(expr: Expr, steps: Steps, evaluation: Evaluation): Promise<Value> {
  const text = evaluation.repeats.get(expr)
  if (text === undefined) return evaluateOnce(expr, steps, evaluation)
  const key = `${text} ${steps.startMs} ${steps.stepMs} ${steps.count}`
  const known = evaluation.answers.get(key)
  if (known !== undefined) {
    evaluation.explainer?.recordRepeat(expr)
    return known
  }
  const remarks = evaluation.annotations.count
  const value = await evaluateOnce(expr, steps, evaluation)
  // Warnings have positions, so a part with warnings is evaluated at each of its positions.
  if (evaluation.annotations.count === remarks) evaluation.answers.set(key, value)
  return value
}

async function evaluateOnce(expr: Expr, steps: Steps, evaluation: Evaluation): Promise<Value> {
  await evaluation.budget.yieldThread()
  if (steps.count > 1 && isStepInvariant(expr)) {
    const { stepSamples } = evaluation
    const onceSamples = stepSamples === undefined ? undefined : new StepSamples(1)
    const once = await evaluateNode(expr, { ...steps, count: 1 }, countingInto(onceSamples, evaluation))
    if (onceSamples !== undefined) stepSamples?.addToAll(onceSamples.total)
    return repeated(once, steps.count, evaluation)
  }
  return evaluateNode(expr, steps, evaluation)
}

async function evaluateNode(expr: Expr, steps: Steps, evaluation: Evaluation): Promise<Value> {
  switch (expr.kind) {
    case 'number':
      return { type: 'scalar', values: new Float64Array(steps.count).fill(expr.value) }
    case 'string':
      return { type: 'string', value: expr.value }
    case 'vector':
      if (expr.extension !== 'smoothed') {
        return { type: 'vector', grid: await evaluateSelector(expr, steps, evaluation) }
      }
      return { type: 'vector', grid: await evaluateSmoothed(expr, steps, evaluation) }
    case 'paren':
      return evaluateNode(expr.expr, steps, evaluation)
    case 'unary':
      return evaluateUnary(expr, steps, evaluation)
    case 'binary':
      return evaluateBinary(expr, steps, evaluation)
    case 'aggregate':
      return evaluateAggregate(expr, steps, evaluation)
    case 'call':
      return evaluateCall(expr, steps, evaluation)
    case 'matrix':
    case 'subquery':
      throw new TypeError('bug: the checker let a range vector through where an instant vector is expected')
  }
}

async function evaluateSmoothed(selector: VectorSelector, steps: Steps, evaluation: Evaluation): Promise<Grid> {
  const grid = await runPieces(smoothedGrid(selector, steps, evaluation), evaluation.budget)
  evaluation.stepSamples?.addSelected(grid)
  return grid
}

async function evaluateUnary(expr: Unary, steps: Steps, evaluation: Evaluation): Promise<Value> {
  const value = await evaluation.evaluate(expr.expr, steps, evaluation)
  if (expr.op === '+') return value
  if (value.type === 'scalar') return { type: 'scalar', values: value.values.map((one) => -one) }
  return { type: 'vector', grid: await runPieces(negated(gridOf(value), evaluation), evaluation.budget) }
}

function* negated(grid: Grid, evaluation: Evaluation): Pieces<Grid> {
  if (grid.histograms === undefined) return yield* mapValues(grid, (one) => -one, evaluation)
  const turn = (one: Element): Element => (typeof one === 'number' ? -one : multiplyHistogram(one, -1))
  return dropNames(yield* mapElements(grid, turn, evaluation))
}

/** The same value at every step. */
function repeated(value: Value, count: number, evaluation: Evaluation): Value {
  if (value.type === 'string') return value
  if (value.type === 'scalar') return { type: 'scalar', values: new Float64Array(count).fill(value.values[0]!) }
  const { grid } = value
  const rows = grid.labels.length
  evaluation.budget.takeCells(rows, count)
  const values = new Float64Array(rows * count)
  const present = new Uint8Array(rows * count)
  for (let row = 0; row < rows; row++) {
    values.fill(grid.values[row]!, row * count, (row + 1) * count)
    present.fill(grid.present[row]!, row * count, (row + 1) * count)
  }
  const moved = gathered(grid.histograms, values.length, (cell) => Math.floor(cell / count))
  return { type: 'vector', grid: { ...grid, steps: count, values, present, ...moved } }
}
