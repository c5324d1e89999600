import type { ReactNode } from 'react'
import type { Tick } from '../lib/day-ticks.ts'
import { cssColor, type ColorToken } from '../lib/palette.ts'
import styles from './step-chart.module.css'
import { useWidth } from './use-width.ts'

/** Positions in the drawing, in pixels. */
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
  /** The chart in a sentence, for screen readers; a table has the numbers. */
  readonly label: string
  /** Number of positions on the horizontal axis, for instance days. */
  readonly places: number
  /** Absent where the chart below has the same ticks. */
  readonly ticks?: (widthPx: number) => readonly Tick[]
  readonly levels: readonly Tick[]
  readonly heightPx?: number
  /** Space for labels at the right. */
  readonly besidePx?: number
  /** The place below the pointer. */
  readonly pointed: number | undefined
  readonly onPoint: (place: number | undefined) => void
  readonly children: (scale: ChartScale) => ReactNode
}

const EDGE = { left: 44, right: 8, top: 8, bottom: 24, bare: 4 } as const

/** A chart over places of equal width: axes, a cursor at the pointed place, and between them what the caller draws. */
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
      className={styles.root}
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
            <line stroke="var(--dt-line)" x1={left} x2={right} y1={scale.y(at)} y2={scale.y(at)} />
            <text className={styles.text} x={left - 8} y={scale.y(at)} textAnchor="end" dominantBaseline="middle">
              {text}
            </text>
          </g>
        ))}
        {children(scale)}
        {ticks?.(right - left).map(({ at, text }) => (
          <text
            key={at}
            className={styles.text}
            aria-hidden="true"
            x={Math.min(scale.x(at + 0.5), right - text.length * 3.2)}
            y={heightPx - 6}
            textAnchor="middle"
          >
            {text}
          </text>
        ))}
        {pointed === undefined ? null : (
          <line
            stroke="var(--dt-text)"
            strokeDasharray="2 2"
            x1={scale.x(pointed + 0.5)}
            x2={scale.x(pointed + 0.5)}
            y1={top}
            y2={bottom}
          />
        )}
      </svg>
    </div>
  )
}

/** What an area is filled with: a colour, or a hatch. */
export type ChartFill = ColorToken | HatchKind
type HatchKind = 'unreported' | 'other'

interface ChartAreaProps {
  readonly d: string
  readonly fill: ChartFill
  /** Of the chart's `Hatches`. */
  readonly hatches?: string
}

export function ChartArea({ d, fill, hatches = '' }: ChartAreaProps): ReactNode {
  return <path d={d} fill={isHatch(fill) ? `url(#${hatches}${fill})` : cssColor(fill)} />
}

export function isHatch(fill: ChartFill): fill is HatchKind {
  return fill === 'unreported' || fill === 'other'
}

interface ChartLineProps {
  readonly d: string
  readonly color: ColorToken
  readonly dashes?: string | undefined
}

export function ChartLine({ d, color, dashes }: ChartLineProps): ReactNode {
  return (
    <path d={d} fill="none" strokeWidth="2" strokeLinejoin="round" stroke={cssColor(color)} strokeDasharray={dashes} />
  )
}

/** The patterns of the hatched areas of a chart. `id` is unique on the page. */
export function Hatches({ id }: { readonly id: string }): ReactNode {
  return (
    <defs>
      {(['unreported', 'other'] as const).map((kind) => (
        <pattern
          key={kind}
          id={`${id}${kind}`}
          width="6"
          height="6"
          patternUnits="userSpaceOnUse"
          patternTransform={kind === 'unreported' ? 'rotate(45)' : 'rotate(-45)'}
        >
          <rect fill="var(--dt-surface-sunken)" width="6" height="6" />
          <line
            stroke="var(--dt-line-strong)"
            strokeWidth={kind === 'unreported' ? 1.5 : 3}
            x1="0"
            y1="0"
            x2="0"
            y2="6"
          />
        </pattern>
      ))}
    </defs>
  )
}
