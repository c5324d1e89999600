import { LabelList } from '../../model/label-rows.ts'
import type { Labels } from '../../model/labels.ts'
import type { Aggregate } from '../ast.ts'
import { formatHistogram } from '../histogram/text.ts'
import { formatGoFloat } from '../../base/go-float.ts'
import type { Evaluation } from './evaluation.ts'
import type { Grid } from './grid.ts'
import { groupRows } from './groups.ts'
import { pieceMask, type Pieces } from './pieces.ts'

/** `count_values`: the number of occurrences of each value, with the value as a label. One row per group and value. */
export function* callCountValues(grid: Grid, label: string, expr: Aggregate, evaluation: Evaluation): Pieces<Grid> {
  const { steps } = grid
  const groups = groupRows(grid, expr.grouping, expr.isWithout, evaluation.rowCache)
  const rowOf = new Map<string, number>()
  const labels: Labels[] = []
  const counts: Float64Array[] = []
  /** The row of each number, per group: a label set is created once per value, not once per cell. */
  const rowsByNumber: (Map<number, number> | undefined)[] = []
  const mask = pieceMask(steps)
  for (let row = 0; row < grid.labels.length; row++) {
    if ((row & mask) === mask) yield
    const id = groups.ids[row]!
    const base = groups.labels.at(id)
    const byNumber = (rowsByNumber[id] ??= new Map<number, number>())
    for (let s = 0; s < steps; s++) {
      if (grid.present[row * steps + s] === 0) continue
      const histogram = grid.histograms?.[row * steps + s]
      const value = grid.values[row * steps + s]!
      // A Map treats -0 as 0, but the texts differ.
      const isNumber = histogram === undefined && !Object.is(value, -0)
      const known = isNumber ? byNumber.get(value) : undefined
      if (known !== undefined) {
        counts[known]![s]!++
        continue
      }
      const text = histogram === undefined ? formatGoFloat(value, 'f') : formatHistogram(histogram)
      const labelled = base.with(label, text)
      let into = rowOf.get(labelled.key)
      if (into === undefined) {
        evaluation.budget.takeCells(1, steps)
        into = labels.length
        rowOf.set(labelled.key, into)
        labels.push(labelled)
        counts.push(new Float64Array(steps))
      }
      if (isNumber) byNumber.set(value, into)
      counts[into]![s]!++
    }
  }
  const values = new Float64Array(labels.length * steps)
  counts.forEach((column, row) => {
    values.set(column, row * steps)
  })
  return {
    steps,
    labels: new LabelList(labels),
    isNameless: false,
    isOneName: labels.every((one) => one.metricName === ''),
    values,
    present: Uint8Array.from(values, (count) => (count > 0 ? 1 : 0)),
  }
}
