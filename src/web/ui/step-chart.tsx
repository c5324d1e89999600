import type { ReactNode } from 'react'
import type { Tick } from '../lib/day-ticks.ts'
import { useWidth } from './use-width.ts'

/** Where values stand in the drawing, in pixels. */
export interface ChartScale {
  /** Left edge of a place; places are as wide as `x(1) - x(0)`. */
  readonly x: (place: number) => number
  readonly y: (value: number) => number
  readonly left: number
  readonly right: number
  readonly top: number
  readonly bottom: number
}

interface StepChartProps {
  /** What it says, in words; the numbers themselves are in the table that stands for it. */
  readonly label: string
  /** Places along it, days for instance. */
  readonly places: number
  /** Absent: the chart below it has the same ones. */
  readonly ticks?: (widthPx: number) => readonly Tick[]
  readonly levels: readonly Tick[]
  readonly heightPx?: number
  /** Room for words beside it, at the right. */
  readonly besidePx?: number
  /** The place that is pointed at. */
  readonly pointed: number | undefined
  readonly onPoint: (place: number | undefined) => void
  readonly children: (scale: ChartScale) => ReactNode
}

const EDGE = { left: 44, right: 8, top: 8, bottom: 24, bare: 4 } as const

/** A chart over places of the same width: axes, a line at the place that is pointed at, and what the caller draws between. */
export function StepChart(props: StepChartProps): ReactNode {
  const { label, places, ticks, levels, heightPx = 240, besidePx = 0, pointed, onPoint, children } = props
  const [element, widthPx] = useWidth<HTMLDivElement>()
  const [left, right] = [EDGE.left, Math.max(EDGE.left + 1, widthPx - EDGE.right - besidePx)]
  const [top, bottom] = [EDGE.top, heightPx - (ticks === undefined ? EDGE.bare : EDGE.bottom)]
  const most = levels.at(-1)?.at ?? 1
  const scale: ChartScale = {
    x: (place) => left + ((right - left) * place) / Math.max(1, places),
    y: (value) => bottom - ((bottom - top) * value) / (most === 0 ? 1 : most),
    ...{ left, right, top, bottom },
  }
  return (
    <div
      ref={element}
      className="step-chart"
      style={{ blockSize: heightPx }}
      onPointerMove={({ clientX, currentTarget }) => {
        const offset = clientX - currentTarget.getBoundingClientRect().left - left
        const place = Math.floor((offset / (right - left)) * places)
        onPoint(place >= 0 && place < places ? place : undefined)
      }}
      onPointerLeave={() => {
        onPoint(undefined)
      }}
    >
      <svg role="img" aria-label={label} width={widthPx} height={heightPx}>
        {levels.map(({ at, text }) => (
          <g key={at} aria-hidden="true">
            <line className="chart-grid" x1={left} x2={right} y1={scale.y(at)} y2={scale.y(at)} />
            <text className="chart-text" x={left - 8} y={scale.y(at)} textAnchor="end" dominantBaseline="middle">
              {text}
            </text>
          </g>
        ))}
        {children(scale)}
        {ticks?.(right - left).map(({ at, text }) => (
          <text
            key={at}
            className="chart-text"
            aria-hidden="true"
            x={Math.min(scale.x(at + 0.5), right - text.length * 3.2)}
            y={heightPx - 6}
            textAnchor="middle"
          >
            {text}
          </text>
        ))}
        {pointed === undefined ? null : (
          <line className="chart-cursor" x1={scale.x(pointed + 0.5)} x2={scale.x(pointed + 0.5)} y1={top} y2={bottom} />
        )}
      </svg>
    </div>
  )
}

/** Hatched grey, for what is not known and for what is lumped together; `id` names it in the page. */
export function Hatch({ id, kind }: { readonly id: string; readonly kind: 'untold' | 'other' }): ReactNode {
  return (
    <defs>
      <pattern
        id={id}
        width="6"
        height="6"
        patternUnits="userSpaceOnUse"
        patternTransform={kind === 'untold' ? 'rotate(45)' : 'rotate(-45)'}
      >
        <rect className="hatch-ground" width="6" height="6" />
        <line className={`hatch-line hatch-line-${kind}`} x1="0" y1="0" x2="0" y2="6" />
      </pattern>
    </defs>
  )
}
