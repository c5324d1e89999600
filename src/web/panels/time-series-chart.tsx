import { useEffect, useRef } from 'react'
import type { ReactNode } from 'react'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import type { ChartColumns } from '../lib/chart-columns.ts'
import { formatValue } from '../lib/format-number.ts'
import { formatDay, formatTimeOfDay } from '../lib/format-time.ts'
import type { Zone } from '../lib/format-time.ts'

/** The one file that knows the chart library. */

interface TimeSeriesChartProps {
  readonly columns: ChartColumns
  readonly zone: Zone
  readonly isDark: boolean
}

const HEIGHT_PX = 280
const LEGEND_LINES_MAX = 12

export function TimeSeriesChart({ columns, zone, isDark }: TimeSeriesChartProps): ReactNode {
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const element = place.current
    if (element === null) return
    const chart = new uPlot(optionsOf(columns, zone, element.clientWidth), dataOf(columns), element)
    const observer = new ResizeObserver(() => {
      chart.setSize({ width: element.clientWidth, height: HEIGHT_PX })
    })
    observer.observe(element)
    return () => {
      observer.disconnect()
      chart.destroy()
    }
    // A theme changes the colours, which are read from the styles when the chart is made.
  }, [columns, zone, isDark])
  const names = columns.lines.map((line) => line.name)
  return (
    <div
      ref={place}
      className="chart"
      role="img"
      aria-label={`Graph of ${names.slice(0, 3).join(', ')}${names.length > 3 ? ` and ${names.length - 3} more` : ''}`}
    />
  )
}

function dataOf({ timesSeconds, lines }: ChartColumns): uPlot.AlignedData {
  return [timesSeconds, ...lines.map((line) => [...line.values])]
}

function optionsOf(columns: ChartColumns, zone: Zone, width: number): uPlot.Options {
  const style = getComputedStyle(document.documentElement)
  const text = style.getPropertyValue('--dt-text-quiet').trim()
  const grid = style.getPropertyValue('--dt-line').trim()
  const axis = {
    stroke: text,
    grid: { stroke: grid, width: 1 },
    ticks: { stroke: grid, width: 1 },
    font: '12px "Red Hat Text", sans-serif',
  }
  return {
    width,
    height: HEIGHT_PX,
    legend: { show: columns.lines.length <= LEGEND_LINES_MAX },
    cursor: { drag: { x: false, y: false } },
    series: [
      {
        label: 'time',
        value: (_chart, seconds) => ((seconds as number | null) === null ? '–' : momentText(seconds, zone)),
      },
      ...columns.lines.map((line, i) => ({
        label: line.name,
        stroke: lineColor(style, i),
        width: 1.6,
        dash: DASHES[Math.floor(i / LINE_COLORS) % DASHES.length]!,
        points: { show: false },
        value: (_chart: uPlot, value: number | null) => (value === null ? '–' : formatValue(value)),
      })),
    ],
    axes: [
      { ...axis, values: (_chart, splits, _axis, _space, incr) => splits.map((at) => tickText(at, incr, zone)) },
      { ...axis, size: 64, values: (_chart, splits) => splits.map(formatValue) },
    ],
  }
}

const LINE_COLORS = 4
const DASHES: readonly number[][] = [[], [6, 3], [2, 3], [10, 3, 2, 3]]

/** Only severity and outcome have hue: lines differ by lightness and dashes, and by name in the legend. */
function lineColor(style: CSSStyleDeclaration, line: number): string {
  return style.getPropertyValue(`--dt-series-${(line % LINE_COLORS) + 1}`).trim()
}

function momentText(seconds: number, zone: Zone): string {
  return `${formatDay(seconds * 1000, zone)} ${formatTimeOfDay(seconds * 1000, zone)}`
}

const DAY_SECONDS = 86_400

function tickText(seconds: number, incrementSeconds: number, zone: Zone): string {
  if (incrementSeconds >= DAY_SECONDS) return formatDay(seconds * 1000, zone).slice(5)
  const time = formatTimeOfDay(seconds * 1000, zone)
  if (time.startsWith('00:00')) return formatDay(seconds * 1000, zone).slice(5)
  return incrementSeconds >= 60 ? time.slice(0, 5) : time
}
