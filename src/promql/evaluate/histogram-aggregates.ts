import type { Histogram } from '../../model/histogram.ts'
import { METRIC_NAME } from '../../model/labels.ts'
import type { Aggregate } from '../ast.ts'
import { HistogramTotal } from '../histogram/total.ts'
import type { Evaluation } from './evaluation.ts'
import type { Grid } from './grid.ts'
import type { Groups } from './groups.ts'
import { floatsOf, hasHistograms, HISTOGRAM_CELLS } from './histogram-cells.ts'
import { pieceMask, type Pieces } from './pieces.ts'

/** Aggregations of vectors with native histograms. */

/** Removes the histograms for an aggregation that does not support them, with an annotation. */
export function floatsToAggregate(grid: Grid, expr: Aggregate, { annotations }: Evaluation): Grid {
  // Prometheus reports the position of the whole aggregation for these two, and of the operand for the others.
  const place = expr.op === 'topk' || expr.op === 'bottomk' ? expr : expr.expr
  if (hasHistograms(grid)) annotations.inform('ignoredInAggregation', place, expr.op)
  return floatsOf(grid)
}

/**
 * `sum` or `avg`: `floats` is the result for the floats alone. A group with floats and histograms at a step, or with
 * exponential and custom buckets, has no value.
 */
export function* withHistogramTotals(
  floats: Grid,
  grid: Grid,
  groups: Groups,
  expr: Aggregate,
  { annotations }: Evaluation,
): Pieces<Grid> {
  const { steps, present, histograms } = grid
  const totals = new Map<number, HistogramTotal>()
  const hasFloat = new Uint8Array(floats.present.length)
  const mixed = new Set<number>()
  const mask = pieceMask(steps * HISTOGRAM_CELLS)
  for (let row = 0; row < grid.labels.length; row++) {
    if ((row & mask) === mask) yield
    for (let s = 0; s < steps; s++) {
      const cell = row * steps + s
      if (present[cell] === 0) continue
      const target = groups.ids[row]! * steps + s
      const histogram = histograms?.[cell]
      const total = totals.get(target)
      if (histogram === undefined) {
        hasFloat[target] = 1
        if (total !== undefined) mixed.add(target)
      } else if (total !== undefined) {
        addToTotal(total, histogram, row, grid, expr, annotations)
      } else if (hasFloat[target] === 1) mixed.add(target)
      else totals.set(target, new HistogramTotal(histogram, expr.op === 'avg'))
    }
  }
  const cells = floats.present.slice()
  const results = new Array<Histogram | undefined>(cells.length)
  for (const target of mixed) cells[target] = 0
  if (mixed.size > 0) annotations.warn('mixedSamplesInAggregation', expr.expr)
  for (const [target, total] of totals) {
    const result = mixed.has(target) ? undefined : total.result()
    cells[target] = result === undefined ? 0 : 1
    results[target] = result
    if (result !== undefined && total.hasCollision) annotations.warn('resetCollision', expr.expr, 'aggregation')
  }
  return { ...floats, present: cells, histograms: results }
}

function addToTotal(
  total: HistogramTotal,
  histogram: Histogram,
  row: number,
  grid: Grid,
  expr: Aggregate,
  annotations: Evaluation['annotations'],
): void {
  const { isMixed } = total
  total.add(histogram)
  if (total.isReconciled) annotations.inform('reconciledBounds', expr.expr, 'aggregation')
  if (!isMixed && total.isMixed) {
    annotations.warn('mixedBucketKinds', expr.expr, grid.isNameless ? '' : grid.labels.valueAt(row, METRIC_NAME))
  }
}
