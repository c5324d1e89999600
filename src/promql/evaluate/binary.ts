import { isArithmetic, isComparison, isSetOp, isTrim, type Binary, type BinaryOp, type VectorMatching } from '../ast.ts'
import type { Evaluation } from './evaluation.ts'
import type { Steps } from './steps.ts'
import { gridOf, type Value } from './value.ts'
import { dropNames, type Grid } from './grid.ts'
import { fillMissing } from './fill.ts'
import { joinVectors } from './join.ts'
import { mapElements } from './histogram-cells.ts'
import { elementOperation } from './elements.ts'
import { ARITHMETIC, COMPARISONS } from './operators.ts'
import { combineSets } from './sets.ts'
import { CELL_MASK, runPieces, type Pieces } from './pieces.ts'

/** Binary operators, by the types of their operands. */
export async function evaluateBinary(expr: Binary, steps: Steps, evaluation: Evaluation): Promise<Value> {
  const left = await evaluation.evaluate(expr.left, steps, evaluation)
  const right = await evaluation.evaluate(expr.right, steps, evaluation)
  const { budget } = evaluation
  budget.check()
  if (left.type === 'scalar' && right.type === 'scalar') {
    const compute = scalarOperation(expr.op)
    return { type: 'scalar', values: left.values.map((value, s) => compute(value, right.values[s]!)) }
  }
  const pieces =
    left.type === 'scalar'
      ? withScalar(expr, gridOf(right), left.values, true, evaluation)
      : right.type === 'scalar'
        ? withScalar(expr, gridOf(left), right.values, false, evaluation)
        : matched(expr, gridOf(left), gridOf(right), evaluation)
  return { type: 'vector', grid: await runPieces(pieces, budget) }
}

const DEFAULT_MATCHING: VectorMatching = { card: 'one-to-one', isOn: false, labels: [], include: [] }

/** Two vectors. */
function* matched(expr: Binary, left: Grid, right: Grid, evaluation: Evaluation): Pieces<Grid> {
  const matching = expr.matching ?? DEFAULT_MATCHING
  const sides = yield* fillMissing(matching, left, right, evaluation)
  if (isSetOp(expr.op)) return yield* combineSets(expr.op, matching, ...sides, evaluation)
  return yield* joinVectors({ expr, op: expr.op, isBool: expr.isBool, matching }, ...sides, evaluation)
}

/** A comparison of two scalars gives 1 or 0. */
function scalarOperation(op: BinaryOp): (a: number, b: number) => number {
  if (isArithmetic(op)) return ARITHMETIC[op]
  if (!isComparison(op)) throw new TypeError('bug: the checker let an operator of vectors through on scalars')
  const holds = COMPARISONS[op]
  return (a, b) => (holds(a, b) ? 1 : 0)
}

/** HOT. A vector and a scalar. A comparison keeps the vector's own values where it is true, on either side. */
function* withScalar(
  expr: Binary,
  grid: Grid,
  scalars: Float64Array,
  isScalarLeft: boolean,
  evaluation: Evaluation,
): Pieces<Grid> {
  const { op, isBool } = expr
  const { steps, values, present } = grid
  if (grid.histograms !== undefined || isTrim(op)) {
    return yield* elementsWithScalar(expr, grid, scalars, isScalarLeft, evaluation)
  }
  evaluation.budget.takeCells(grid.labels.length, steps)
  if (isComparison(op) && !isBool) return { ...grid, present: holding(op, grid, scalars, isScalarLeft) }
  const compute = scalarOperation(op)
  const computed = new Float64Array(values.length)
  for (let cell = 0, s = 0; cell < values.length; cell++) {
    if ((cell & CELL_MASK) === CELL_MASK) yield
    if (present[cell] === 1) {
      computed[cell] = isScalarLeft ? compute(scalars[s]!, values[cell]!) : compute(values[cell]!, scalars[s]!)
    }
    if (++s === steps) s = 0
  }
  return dropNames({ ...grid, values: computed })
}

/** The same for vectors that may contain histograms. */
function* elementsWithScalar(
  expr: Binary,
  grid: Grid,
  scalars: Float64Array,
  isScalarLeft: boolean,
  evaluation: Evaluation,
): Pieces<Grid> {
  const operation = elementOperation(expr, evaluation.annotations)
  const isFilter = isComparison(expr.op) && !expr.isBool
  const computed = yield* mapElements(
    grid,
    (element, s) => {
      const result = isScalarLeft ? operation(scalars[s]!, element) : operation(element, scalars[s]!)
      return isFilter && result !== undefined ? element : result
    },
    evaluation,
  )
  return isFilter || isTrim(expr.op) ? computed : dropNames(computed)
}

/** HOT. The cells at which a comparison with a scalar is true. */
function holding(op: BinaryOp, grid: Grid, scalars: Float64Array, isScalarLeft: boolean): Uint8Array {
  const { steps, values, present } = grid
  const holds = COMPARISONS[op as keyof typeof COMPARISONS]
  const kept = new Uint8Array(present.length)
  for (let cell = 0, s = 0; cell < kept.length; cell++) {
    if (present[cell] === 1) {
      const value = values[cell]!
      if (isScalarLeft ? holds(scalars[s]!, value) : holds(value, scalars[s]!)) kept[cell] = 1
    }
    if (++s === steps) s = 0
  }
  return kept
}
