import { type Labels, METRIC_NAME } from '../../model/labels.ts'
import { quoteGo } from '../../base/go-quote.ts'
import { FleetError } from '../../base/errors.ts'
import { PickedRows, type LabelRows } from '../../model/label-rows.ts'
import {
  isArithmetic,
  isComparison,
  isTrim,
  type ArithmeticOp,
  type Binary,
  type ComparisonOp,
  type TrimOp,
  type VectorMatching,
} from '../ast.ts'
import type { Evaluation } from './evaluation.ts'
import { haveOneName, labelsOf, mapRowsInPieces, mergeEqualRows, stepsWithValues, type Grid } from './grid.ts'
import { elementOperation, type ElementOperation } from './elements.ts'
import { numberRows } from './groups.ts'
import { CellWriter, elementAt, HISTOGRAM_CELLS } from './histogram-cells.ts'
import { ARITHMETIC, COMPARISONS } from './operators.ts'
import type { RowGroups } from './row-cache.ts'
import { signatureLabels, signaturesOf, type Signatures } from './signatures.ts'
import { pieceMask, type Pieces } from './pieces.ts'

/**
 * Arithmetic and comparison of two vectors. Each row of the many side is paired with the row of the other side that has
 * its signature. The pairs may change between steps; duplicates at one step are refused, with Prometheus' errors.
 */
interface Join {
  /** For annotations. */
  readonly expr: Binary
  readonly op: ArithmeticOp | ComparisonOp | TrimOp
  readonly isBool: boolean
  readonly matching: VectorMatching
}

export function* joinVectors(join: Join, left: Grid, right: Grid, evaluation: Evaluation): Pieces<Grid> {
  const isSwapped = join.matching.card === 'one-to-many'
  const many = isSwapped ? right : left
  const one = isSwapped ? left : right
  yield
  const signatures = yield* signaturesOf(many, one, join.matching, evaluation.rowCache)
  yield
  const oneRows = rowsBySignature(signatures.right, one, signatures.count)
  if (oneRows.isCrowded) refuseDuplicates(join, many, one, signatures.right, isSwapped)
  const pairs = pairRows(signatures.left, many, oneRows)
  evaluation.budget.takeCells(pairs.count, many.steps)
  const areDistinct = areLabelsDistinct(join, many, pairs, signatures, evaluation.rowCache)
  if (!areDistinct) refuseAmbiguity(join, many, one, pairs, signatures.left, signatures.count)
  return yield* compute(join, many, one, pairs, areDistinct, isSwapped, evaluation)
}

/** Paired rows, in the order of the many side. */
interface Pairs {
  readonly count: number
  readonly manyRows: Int32Array
  readonly oneRows: Int32Array
}

/** Linked lists of the rows of each signature: the first row of a signature, and the next of each row; -1 is none. */
interface RowLists {
  readonly firsts: Int32Array
  readonly nexts: Int32Array
  /** Some signature has two rows. */
  readonly isCrowded: boolean
}

/**
 * HOT. Rows without a value are left out: series of before an upgrade, which would be second rows of a signature and
 * need the slow paths.
 */
function rowsBySignature(ids: Int32Array, grid: Grid, count: number): RowLists {
  const rows = grid.labels.length
  const firsts = new Int32Array(count).fill(-1)
  const nexts = new Int32Array(rows)
  let isCrowded = false
  for (let row = rows - 1; row >= 0; row--) {
    if (!hasValue(grid, row)) continue
    const next = firsts[ids[row]!]!
    if (next !== -1) isCrowded = true
    nexts[row] = next
    firsts[ids[row]!] = row
  }
  return { firsts, nexts, isCrowded }
}

/** HOT. Whether a row has a value at some step. */
function hasValue({ present, steps }: Grid, row: number): boolean {
  for (let cell = row * steps, end = cell + steps; cell < end; cell++) if (present[cell] === 1) return true
  return false
}

/** HOT. Rows of the many side with a value are counted first, so that the columns are allocated once. */
function pairRows(ids: Int32Array, many: Grid, { firsts, nexts }: RowLists): Pairs {
  const rows = many.labels.length
  let count = 0
  for (let row = 0; row < rows; row++) {
    if (!hasValue(many, row)) continue
    for (let one = firsts[ids[row]!]!; one !== -1; one = nexts[one]!) count++
  }
  const manyRows = new Int32Array(count)
  const oneRows = new Int32Array(count)
  let pair = 0
  for (let row = 0; row < rows; row++) {
    if (!hasValue(many, row)) continue
    for (let one = firsts[ids[row]!]!; one !== -1; one = nexts[one]!) {
      manyRows[pair] = row
      oneRows[pair++] = one
    }
  }
  return { count, manyRows, oneRows }
}

/** Whether the results certainly have different labels, which avoids creating the label sets. */
function areLabelsDistinct(
  { matching }: Join,
  many: Grid,
  { count, manyRows }: Pairs,
  { left, count: signatureCount }: Signatures,
  cache: RowGroups,
): boolean {
  if (matching.card === 'one-to-one') {
    // The labels of a result include its signature.
    const seen = new Uint8Array(signatureCount)
    for (let pair = 0; pair < count; pair++) {
      const id = left[manyRows[pair]!]!
      if (seen[id] === 1) return false
      seen[id] = 1
    }
    return true
  }
  // Rows that differ before labels are added differ afterwards.
  if (!many.isOneName && !many.isNameless) return false
  for (let pair = 1; pair < count; pair++) if (manyRows[pair] === manyRows[pair - 1]) return false
  return matching.include.every((name) => name !== METRIC_NAME && isUnknown(many, name, cache))
}

/** Whether no row has a label. */
function isUnknown(grid: Grid, name: string, cache: RowGroups): boolean {
  const { column } = numberRows(grid, [name], false, cache)
  return column.count === 0 || (column.count === 1 && column.textAt(0) === '')
}

/** Refuses two rows of the one side with one signature at one step, if the many side has a value at that step. */
function refuseDuplicates({ matching }: Join, many: Grid, one: Grid, ids: Int32Array, isSwapped: boolean): void {
  const { steps } = one
  const bySignature = new Map<number, number[]>()
  for (let row = 0; row < one.labels.length; row++) {
    const rows = bySignature.get(ids[row]!)
    if (rows === undefined) bySignature.set(ids[row]!, [row])
    else rows.push(row)
  }
  const crowded = [...bySignature.values()].filter((rows) => rows.length > 1)
  const isNeeded = stepsWithValues(many)
  for (const rows of crowded) {
    for (let s = 0; s < steps; s++) {
      if (isNeeded[s] === 0) continue
      const found = rows.filter((row) => one.present[row * steps + s] === 1)
      if (found.length < 2) continue
      const [first, second] = found.map((row) => describeLabels(labelsOf(one, row))).sort()
      const group = describeLabels(signatureLabels(one.labels.at(found[0]!), matching))
      throw new FleetError(
        'query_execution',
        `found duplicate series for the match group ${group} on the ${isSwapped ? 'left' : 'right'} hand-side of the operation: ` +
          `[${first!}, ${second!}];many-to-many matching not allowed: matching labels must be unique on one side`,
      )
    }
  }
}

/**
 * Refuses ambiguous results: two rows of the many side with one signature without grouping, or, with grouping, two
 * results with equal labels. Cells that a comparison drops count too.
 */
function refuseAmbiguity(join: Join, many: Grid, one: Grid, pairs: Pairs, ids: Int32Array, count: number): void {
  const { steps } = many
  const isGrouped = join.matching.card !== 'one-to-one'
  const pairsOf: number[][] = Array.from({ length: count }, () => [])
  for (let pair = 0; pair < pairs.count; pair++) pairsOf[ids[pairs.manyRows[pair]!]!]!.push(pair)
  for (const group of pairsOf) {
    if (group.length < 2) continue
    const keys = isGrouped ? group.map((pair) => resultLabels(join, many, one, pairs, pair).key) : []
    for (let s = 0; s < steps; s++) {
      const seen = new Set<string>()
      group.forEach((pair, i) => {
        const isThere = many.present[pairs.manyRows[pair]! * steps + s] === 1
        if (!isThere || one.present[pairs.oneRows[pair]! * steps + s] === 0) return
        const key = isGrouped ? keys[i]! : ''
        if (seen.has(key)) {
          throw new FleetError(
            'query_execution',
            isGrouped
              ? 'multiple matches for labels: grouping labels must ensure unique matches'
              : 'multiple matches for labels: many-to-one matching must be explicit (group_left/group_right)',
          )
        }
        seen.add(key)
      })
    }
  }
}

/** Labels of a result: those of the many side, as the clauses keep, drop and copy them. */
function resultLabels({ op, isBool, matching }: Join, many: Grid, one: Grid, pairs: Pairs, pair: number): Labels {
  const manyRow = pairs.manyRows[pair]!
  const isNameDropped = isBool || isArithmetic(op)
  let labels = isNameDropped ? many.labels.at(manyRow).dropMetricName() : labelsOf(many, manyRow)
  if (matching.card === 'one-to-one') {
    if (matching.isOn) labels = labels.keep(new Set(matching.labels))
    else if (matching.labels.length > 0) labels = labels.drop(new Set(matching.labels))
  }
  if (matching.include.length === 0) return labels
  const source = labelsOf(one, pairs.oneRows[pair]!)
  for (const name of matching.include) labels = labels.with(name, source.get(name))
  return isNameDropped && isBool ? labels.dropMetricName() : labels
}

/** Labels of results, created on demand: most joins are compared next, and most of their rows are dropped. */
class JoinedRows implements LabelRows {
  readonly length: number
  readonly #labelsOf: (row: number) => Labels

  constructor(length: number, labelsOf: (row: number) => Labels) {
    this.length = length
    this.#labelsOf = labelsOf
  }

  get lineage(): object {
    return this
  }

  at(row: number): Labels {
    return this.#labelsOf(row)
  }

  valueAt(row: number, name: string): string {
    return this.#labelsOf(row).get(name)
  }
}

function* compute(
  join: Join,
  many: Grid,
  one: Grid,
  pairs: Pairs,
  areDistinct: boolean,
  isSwapped: boolean,
  evaluation: Evaluation,
): Pieces<Grid> {
  const { op, isBool, matching } = join
  const { steps } = many
  const isMixed = many.histograms !== undefined || one.histograms !== undefined || isTrim(op)
  const columns = isMixed
    ? yield* elementColumns(elementOperation(join.expr, evaluation.annotations), many, one, pairs, isSwapped)
    : yield* floatColumns(join, many, one, pairs, isSwapped)
  // Only the name is dropped: a plain `a / b` needs no new label sets.
  const isPlain = matching.include.length === 0 && (matching.card !== 'one-to-one' || isIgnoringNothing(matching))
  if (isPlain && areDistinct && (many.isOneName || many.isNameless)) {
    const isWhole = pairs.count === many.labels.length
    const labels = isWhole ? many.labels : new PickedRows(many.labels, pairs.manyRows)
    const isNameless = many.isNameless || isBool || isArithmetic(op)
    return { steps, labels, isNameless, isOneName: many.isOneName, ...columns }
  }
  const labels = new JoinedRows(pairs.count, (pair) => resultLabels(join, many, one, pairs, pair))
  if (areDistinct) {
    const isOneName = isBool || isArithmetic(op) || many.isOneName || many.isNameless
    return { steps, labels, isNameless: false, isOneName, ...columns }
  }
  const made = yield* mapRowsInPieces(labels, (labels) => labels)
  return mergeEqualRows({ steps, labels: made, isNameless: false, isOneName: haveOneName(made), ...columns })
}

type Columns = Pick<Grid, 'values' | 'present' | 'histograms'>

function* floatColumns(join: Join, many: Grid, one: Grid, pairs: Pairs, isSwapped: boolean): Pieces<Columns> {
  const { steps } = many
  const values = new Float64Array(pairs.count * steps)
  const present = new Uint8Array(pairs.count * steps)
  const left = isSwapped ? one : many
  const right = isSwapped ? many : one
  const mask = pieceMask(steps)
  for (let pair = 0; pair < pairs.count; pair++) {
    if ((pair & mask) === mask) yield
    const manyCell = pairs.manyRows[pair]! * steps
    const oneCell = pairs.oneRows[pair]! * steps
    const leftCell = isSwapped ? oneCell : manyCell
    fillRow(join, left, right, leftCell, isSwapped ? manyCell : oneCell, values, present, pair * steps)
  }
  return { values, present }
}

/** The same for vectors that may contain histograms. */
function* elementColumns(
  operation: ElementOperation,
  many: Grid,
  one: Grid,
  pairs: Pairs,
  isSwapped: boolean,
): Pieces<Columns> {
  const { steps } = many
  const cells = new CellWriter(pairs.count * steps)
  const mask = pieceMask(steps * HISTOGRAM_CELLS)
  for (let pair = 0; pair < pairs.count; pair++) {
    if ((pair & mask) === mask) yield
    for (let s = 0; s < steps; s++) {
      const manyCell = pairs.manyRows[pair]! * steps + s
      const oneCell = pairs.oneRows[pair]! * steps + s
      if (many.present[manyCell] === 0 || one.present[oneCell] === 0) continue
      const ofMany = elementAt(many, manyCell)
      const ofOne = elementAt(one, oneCell)
      cells.write(pair * steps + s, isSwapped ? operation(ofOne, ofMany) : operation(ofMany, ofOne))
    }
  }
  return cells.columns()
}

function isIgnoringNothing({ isOn, labels }: VectorMatching): boolean {
  return !isOn && labels.length === 0
}

// HOT: once per pair and step.
function fillRow(
  { op, isBool }: Join,
  left: Grid,
  right: Grid,
  leftCell: number,
  rightCell: number,
  values: Float64Array,
  present: Uint8Array,
  cell: number,
): void {
  const holds = isComparison(op) ? COMPARISONS[op] : undefined
  const compute = isArithmetic(op) ? ARITHMETIC[op] : undefined
  for (let s = 0; s < left.steps; s++) {
    if (left.present[leftCell + s] === 0 || right.present[rightCell + s] === 0) continue
    const a = left.values[leftCell + s]!
    const b = right.values[rightCell + s]!
    if (holds === undefined) {
      values[cell + s] = compute!(a, b)
    } else if (isBool) {
      values[cell + s] = holds(a, b) ? 1 : 0
    } else if (holds(a, b)) {
      values[cell + s] = a
    } else {
      continue
    }
    present[cell + s] = 1
  }
}

/** A label set with the name among the labels, as in Prometheus' errors. */
export function describeLabels(labels: Labels): string {
  return `{${[...labels.pairs()].map(([name, value]) => `${name}=${quoteGo(value)}`).join(', ')}}`
}
