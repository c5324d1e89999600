import type { ReactNode } from 'react'
import { toChartColumns } from '../lib/chart-columns.ts'
import { countOf } from '../lib/format-number.ts'
import type { RangeAnswer } from '../query/use-promql.ts'
import { usePreferences } from '../ui/preferences.ts'
import { TimeSeriesChart } from './time-series-chart.tsx'

/** The answer of a range query as a graph. Its numbers are readable as the table of the same query beside it. */
export function RangeChart({ answer }: { readonly answer: RangeAnswer }): ReactNode {
  const { zone } = usePreferences()
  const { data } = answer.answer
  if (data.resultType !== 'matrix' || data.result.length === 0) {
    return <p className="no-series">No series in this time.</p>
  }
  const columns = toChartColumns(data.result, answer)
  return (
    <>
      <TimeSeriesChart columns={columns} zone={zone} />
      {columns.leftOut > 0 ? (
        <p className="quiet">{countOf(columns.leftOut, 'more series is', 'more series are')} not drawn.</p>
      ) : null}
    </>
  )
}
