import { useMemo } from 'react'
import type { ReactNode } from 'react'
import type { ChartColumns } from '../lib/chart-columns.ts'
import { formatValue } from '../lib/format-number.ts'
import type { Zone } from '../lib/format-time.ts'
import { Plot } from './plot.tsx'
import type { PlotAxis } from './plot.tsx'

interface TimeSeriesChartProps {
  readonly columns: ChartColumns
  readonly zone: Zone
}

const HEIGHT_PX = 280
const LEGEND_LINES_MAX = 12
const AXIS: PlotAxis = { write: formatValue }

/** Series over time, each with the name and the value under the pointer below. */
export function TimeSeriesChart({ columns, zone }: TimeSeriesChartProps): ReactNode {
  const { timesSeconds } = columns
  const lines = useMemo(() => columns.lines.map((line, look) => ({ ...line, look })), [columns])
  const names = lines.map((line) => line.name)
  return (
    <Plot
      label={`Graph of ${names.slice(0, 3).join(', ')}${names.length > 3 ? ` and ${names.length - 3} more` : ''}`}
      timesSeconds={timesSeconds}
      lines={lines}
      axis={AXIS}
      zone={zone}
      heightPx={HEIGHT_PX}
      hasOwnLegend={lines.length <= LEGEND_LINES_MAX}
    />
  )
}
