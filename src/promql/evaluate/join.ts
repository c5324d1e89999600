import { FleetError } from '../../base/errors.ts'
import type { Labels } from '../../model/labels.ts'
import { METRIC_NAME } from '../../model/labels.ts'
import { isComparison, type ArithmeticOp, type ComparisonOp, type VectorMatching } from '../ast.ts'
import type { Evaluation } from './evaluation.ts'
import { labelsOf, mergeEqualRows, type Grid } from './grid.ts'
import { ARITHMETIC, COMPARISONS } from './operators.ts'
import { signaturesOf } from './signatures.ts'

/**
 * Arithmetic and comparison of two vectors. Each row of the many side meets the one row of the other side that has its
 * signature. Which row that is may change from step to step; that there is only one at a step is checked, and the
 * errors are Prometheus'.
 */
export interface Join {
  readonly op: ArithmeticOp | ComparisonOp
  readonly isBool: boolean
  readonly matching: VectorMatching
}

export function joinVectors(join: Join, left: Grid, right: Grid, evaluation: Evaluation): Grid {
  const isSwapped = join.matching.card === 'one-to-many'
  const many = isSwapped ? right : left
  const one = isSwapped ? left : right
  const signatures = signaturesOf(many, one, join.matching)
  const oneRows = rowsBySignature(signatures.right, signatures.count)
  refuseDuplicates(join, many, one, oneRows, isSwapped)
  const pairs = pairRows(signatures.left, oneRows)
  evaluation.budget.takeCells(pairs.length, many.steps)
  refuseAmbiguity(join, many, one, pairs, signatures.left, signatures.count)
  return compute(join, many, one, pairs, isSwapped)
}

interface Pair {
  readonly manyRow: number
  readonly oneRow: number
}

/** Rows of each signature: nearly always one. */
function rowsBySignature(ids: Int32Array, count: number): readonly (readonly number[])[] {
  const rows: number[][] = Array.from({ length: count }, () => [])
  ids.forEach((id, row) => rows[id]!.push(row))
  return rows
}

function pairRows(ids: Int32Array, oneRows: readonly (readonly number[])[]): Pair[] {
  const pairs: Pair[] = []
  ids.forEach((id, manyRow) => {
    for (const oneRow of oneRows[id]!) pairs.push({ manyRow, oneRow })
  })
  return pairs
}

/** Refuses two rows of the one side with one signature at one step, if the many side has anything at that step. */
function refuseDuplicates(
  { matching }: Join,
  many: Grid,
  one: Grid,
  oneRows: readonly (readonly number[])[],
  isSwapped: boolean,
): void {
  const { steps } = one
  const crowded = oneRows.filter((rows) => rows.length > 1)
  if (crowded.length === 0) return
  const isNeeded = new Uint8Array(steps)
  for (let cell = 0; cell < many.present.length; cell++) if (many.present[cell] === 1) isNeeded[cell % steps] = 1
  for (const rows of crowded) {
    for (let s = 0; s < steps; s++) {
      if (isNeeded[s] === 0) continue
      const found = rows.filter((row) => one.present[row * steps + s] === 1)
      if (found.length < 2) continue
      const [first, second] = found.map((row) => describe(labelsOf(one, row))).sort()
      const group = describe(signatureLabels(one.labels[found[0]!]!, matching))
      throw new FleetError(
        'query_execution',
        `found duplicate series for the match group ${group} on the ${isSwapped ? 'left' : 'right'} hand-side of the operation: ` +
          `[${first!}, ${second!}];many-to-many matching not allowed: matching labels must be unique on one side`,
      )
    }
  }
}

function signatureLabels(labels: Labels, { isOn, labels: names }: VectorMatching): Labels {
  return isOn ? labels.keep(new Set(names)) : labels.drop(new Set([...names, METRIC_NAME]))
}

/** A label set with the name among the labels, as Prometheus' errors show it. */
function describe(labels: Labels): string {
  return `{${[...labels.pairs()].map(([name, value]) => `${name}=${JSON.stringify(value)}`).join(', ')}}`
}

/**
 * Refuses results that would not be one series each: two rows of the many side with one signature, unless grouping was
 * asked for, and then two with equal labels. Cells that a comparison filters away count too.
 */
function refuseAmbiguity(
  join: Join,
  many: Grid,
  one: Grid,
  pairs: readonly Pair[],
  ids: Int32Array,
  count: number,
): void {
  const { steps } = many
  const isGrouped = join.matching.card !== 'one-to-one'
  const pairsOf: Pair[][] = Array.from({ length: count }, () => [])
  for (const pair of pairs) pairsOf[ids[pair.manyRow]!]!.push(pair)
  for (const group of pairsOf) {
    if (group.length < 2) continue
    const keys = isGrouped ? group.map((pair) => resultLabels(join, many, one, pair).key) : []
    for (let s = 0; s < steps; s++) {
      const seen = new Set<string>()
      group.forEach(({ manyRow, oneRow }, i) => {
        if (many.present[manyRow * steps + s] === 0 || one.present[oneRow * steps + s] === 0) return
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

/** Labels of a result: the many side's, with what the clauses keep, drop and copy. */
function resultLabels({ op, isBool, matching }: Join, many: Grid, one: Grid, { manyRow, oneRow }: Pair): Labels {
  const isNameDropped = isBool || !isComparison(op)
  let labels = isNameDropped ? many.labels[manyRow]!.dropMetricName() : labelsOf(many, manyRow)
  if (matching.card === 'one-to-one') {
    if (matching.isOn) labels = labels.keep(new Set(matching.labels))
    else if (matching.labels.length > 0) labels = labels.drop(new Set(matching.labels))
  }
  if (matching.include.length === 0) return labels
  const source = labelsOf(one, oneRow)
  for (const name of matching.include) labels = labels.with(name, source.get(name))
  return isNameDropped && isBool ? labels.dropMetricName() : labels
}

function compute(join: Join, many: Grid, one: Grid, pairs: readonly Pair[], isSwapped: boolean): Grid {
  const { op, isBool, matching } = join
  const { steps } = many
  const values = new Float64Array(pairs.length * steps)
  const present = new Uint8Array(pairs.length * steps)
  const left = isSwapped ? one : many
  const right = isSwapped ? many : one
  pairs.forEach(({ manyRow, oneRow }, row) => {
    const leftCell = (isSwapped ? oneRow : manyRow) * steps
    const rightCell = (isSwapped ? manyRow : oneRow) * steps
    fillRow(join, left, right, leftCell, rightCell, values, present, row * steps)
  })
  const isUnique = (many.isOneName || many.isNameless) && isEachRowOnce(pairs)
  // The labels stay as they are when nothing but the name goes: no label set is made for a plain `a / b`.
  const isPlain = matching.include.length === 0 && (matching.card !== 'one-to-one' || isIgnoringNothing(matching))
  if (isPlain && isUnique) {
    const labels = pairs.map((pair) => many.labels[pair.manyRow]!)
    const isNameless = many.isNameless || isBool || !isComparison(op)
    return { steps, labels, isNameless, isOneName: many.isOneName, values, present }
  }
  const labels = pairs.map((pair) => resultLabels(join, many, one, pair))
  const name = labels[0]?.metricName
  const isOneName = labels.every((one) => one.metricName === name)
  const grid: Grid = { steps, labels, isNameless: false, isOneName, values, present }
  // Rows that differ before labels are added differ after it.
  const isAdding = matching.card !== 'one-to-one' && matching.include.every((label) => isUnknown(many, label))
  return isUnique && isAdding ? grid : mergeEqualRows(grid)
}

function isUnknown({ labels }: Grid, name: string): boolean {
  return labels.every((one) => !one.has(name))
}

function isIgnoringNothing({ isOn, labels }: VectorMatching): boolean {
  return !isOn && labels.length === 0
}

/** Pairs come in the order of the many side's rows. */
function isEachRowOnce(pairs: readonly Pair[]): boolean {
  return pairs.every((pair, i) => i === 0 || pairs[i - 1]!.manyRow !== pair.manyRow)
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
  const compute = isComparison(op) ? undefined : ARITHMETIC[op]
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
