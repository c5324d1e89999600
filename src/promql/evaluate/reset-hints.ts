import type { Histogram } from '../../model/histogram.ts'
import type { SeriesColumns } from '../../model/series.ts'
import { childrenOf, type Expr, type VectorSelector } from '../ast.ts'
import { isReset } from '../histogram/reset.ts'

/**
 * Prometheus detects counter resets while reading when only count and sum of a histogram are used, and can warn then
 * about adding histograms with a reset and without one. This does the same for the same selectors.
 */

const COUNTING = new Set(['histogram_avg', 'histogram_count', 'histogram_sum'])
const WHOLE = new Set(['histogram_fraction', 'histogram_quantile', 'histogram_quantiles'])

/** The selectors of a query of whose histograms only count and sum are used. */
export function countingSelectors(query: Expr): ReadonlySet<VectorSelector> {
  const found = new Set<VectorSelector>()
  collect(query, false, found)
  return found
}

function collect(expr: Expr, isCounting: boolean, found: Set<VectorSelector>): void {
  if (expr.kind === 'vector') {
    if (isCounting) found.add(expr)
    return
  }
  const isCut = expr.kind === 'binary' || expr.kind === 'subquery' || (expr.kind === 'call' && WHOLE.has(expr.func))
  const inside = (isCounting && !isCut) || (expr.kind === 'call' && COUNTING.has(expr.func))
  for (const child of childrenOf(expr)) collect(child, inside, found)
}

/** Histograms with their own hint whether a counter reset happened since the previous sample. */
export function withResetHints(columns: SeriesColumns): SeriesColumns {
  if (columns.histograms === undefined) return columns
  let previous: Histogram | undefined
  const histograms = columns.histograms.map((histogram) => {
    if (histogram === undefined) return undefined
    const before = previous
    previous = histogram
    if (histogram.counterReset !== 'unknown' || before === undefined) return histogram
    const counterReset: Histogram['counterReset'] = isReset(histogram, before) ? 'reset' : 'continued'
    return { ...histogram, counterReset }
  })
  return { ...columns, histograms }
}
