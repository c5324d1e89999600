import { useRef, useState, type PointerEvent, type ReactNode } from 'react'
import type { PathPiece } from '../../lib/critical-path.ts'
import { formatSpanNs } from '../../lib/format-time.ts'
import type { Trace, TraceSpan } from '../../lib/trace.ts'
import styles from './trace-minimap.module.css'

interface TraceMinimapProps {
  readonly trace: Trace
  readonly path: readonly PathPiece[]
  /** The part that is looked at, as shares of the trace's time. */
  readonly from: number
  readonly to: number
  readonly onZoom: (from: number, to: number) => void
}

const WIDTH = 1000
const HEIGHT = 48
/** A drag shorter than this is a click, and means nothing. */
const LEAST_SHARE = 0.004

/** The whole trace in one strip; who drags over it looks at that part. The button beside it does the opposite. */
export function TraceMinimap({ trace, path, from, to, onZoom }: TraceMinimapProps): ReactNode {
  const box = useRef<SVGSVGElement>(null)
  const [drag, setDrag] = useState<{ readonly start: number; readonly end: number }>()
  const shareOf = (event: PointerEvent): number => {
    const area = box.current?.getBoundingClientRect()
    if (area === undefined || area.width === 0) return 0
    return Math.min(1, Math.max(0, (event.clientX - area.left) / area.width))
  }
  const ordered = drag === undefined ? { low: from, high: to } : lowHigh(drag.start, drag.end)
  const isWhole = ordered.low === 0 && ordered.high === 1
  return (
    <svg
      ref={box}
      className={styles.root}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={`Overview of ${formatSpanNs(trace.durationNs)}; drag to look at a part`}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId)
        setDrag({ start: shareOf(event), end: shareOf(event) })
      }}
      onPointerMove={(event) => {
        if (drag !== undefined) setDrag({ start: drag.start, end: shareOf(event) })
      }}
      onPointerUp={() => {
        if (drag === undefined) return
        const { low, high } = lowHigh(drag.start, drag.end)
        setDrag(undefined)
        if (high - low > LEAST_SHARE) onZoom(low, high)
      }}
      onPointerCancel={() => {
        setDrag(undefined)
      }}
    >
      <path className={styles.spans} d={linesOf(trace, (span) => !span.isError)} />
      <path className={styles.errors} d={linesOf(trace, (span) => span.isError)} />
      <path className={styles.path} d={pathLine(trace, path)} />
      {isWhole ? null : (
        <>
          <rect className={styles.outside} x={0} y={0} width={ordered.low * WIDTH} height={HEIGHT} />
          <rect
            className={styles.outside}
            x={ordered.high * WIDTH}
            y={0}
            width={(1 - ordered.high) * WIDTH}
            height={HEIGHT}
          />
        </>
      )}
    </svg>
  )
}

function lowHigh(a: number, b: number): { readonly low: number; readonly high: number } {
  return { low: Math.min(a, b), high: Math.max(a, b) }
}

/** One path for all: five thousand elements would be slow. Spans of one pixel row lie over each other. */
function linesOf({ spans, durationNs }: Trace, isDrawn: (span: TraceSpan) => boolean): string {
  const scale = WIDTH / Math.max(1, durationNs)
  const rowPx = Math.min(3, (HEIGHT - 6) / spans.length)
  return spans
    .map((span, row) => {
      if (!isDrawn(span)) return ''
      const x = span.fromNs * scale
      return `M${x.toFixed(1)} ${(2 + row * rowPx).toFixed(1)}h${Math.max(1, span.toNs * scale - x).toFixed(1)}`
    })
    .join('')
}

function pathLine({ durationNs }: Trace, path: readonly PathPiece[]): string {
  const scale = WIDTH / Math.max(1, durationNs)
  return path
    .filter(({ span }) => span >= 0)
    .map(({ fromNs, toNs }) => `M${(fromNs * scale).toFixed(1)} ${HEIGHT - 2}H${(toNs * scale).toFixed(1)}`)
    .join('')
}
