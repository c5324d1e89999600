import { LabelList } from '../../model/label-rows.ts'
import type { Labels } from '../../model/labels.ts'
import type { Aggregate } from '../ast.ts'
import { formatHistogram } from '../histogram/text.ts'
import { formatPlain } from '../number-format.ts'
import type { Evaluation } from './evaluation.ts'
import type { Grid } from './grid.ts'
import { groupRows } from './groups.ts'
import { LABELS_CELLS, pieceMask, type Pieces } from './turns.ts'

/** `count_values`: how often each value occurs, with the value as a label. A group per group and value. */
export function* callCountValues(grid: Grid, label: string, expr: Aggregate, evaluation: Evaluation): Pieces<Grid> {
  const { steps } = grid
  const groups = groupRows(grid, expr.grouping, expr.isWithout, evaluation.rowCache)
  const rowOf = new Map<string, number>()
  const labels: Labels[] = []
  const counts: Float64Array[] = []
  const mask = pieceMask(steps * LABELS_CELLS)
  for (let row = 0; row < grid.labels.length; row++) {
    if ((row & mask) === mask) yield
    const base = groups.labels.at(groups.ids[row]!)
    for (let s = 0; s < steps; s++) {
      if (grid.present[row * steps + s] === 0) continue
      const histogram = grid.histograms?.[row * steps + s]
      const text = histogram === undefined ? formatPlain(grid.values[row * steps + s]!) : formatHistogram(histogram)
      const labelled = base.with(label, text)
      let into = rowOf.get(labelled.key)
      if (into === undefined) {
        evaluation.budget.takeCells(1, steps)
        into = labels.length
        rowOf.set(labelled.key, into)
        labels.push(labelled)
        counts.push(new Float64Array(steps))
      }
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
