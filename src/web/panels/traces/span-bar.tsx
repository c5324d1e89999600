import type { CSSProperties, ReactNode } from 'react'
import type { PathPiece } from '../../lib/critical-path.ts'
import { formatSpanNs } from '../../lib/format-span.ts'
import type { TraceSpan } from '../../lib/trace.ts'

/** A stretch of the trace's time that is drawn across a bar's box. */
export interface TimeWindow {
  readonly fromNs: number
  readonly toNs: number
}

interface SpanBarProps {
  readonly span: TraceSpan
  /** Its own pieces of the critical path. */
  readonly pieces: readonly PathPiece[]
  readonly window: TimeWindow
}

/** A bar that ends before this share of the box has room for its length to the right. */
const LABEL_RIGHT_UNTIL = 0.82

/** One span on the line of time: a bar, its part of the critical path as a heavier line in it, its events as marks. */
export function SpanBar({ span, pieces, window }: SpanBarProps): ReactNode {
  const widthNs = Math.max(1, window.toNs - window.fromNs)
  const at = (ns: number): number => Math.min(1, Math.max(0, (ns - window.fromNs) / widthNs))
  const [left, right] = [at(span.fromNs), at(span.toNs)]
  return (
    <div className={`span-lane ${span.isError ? 'is-error' : ''}`} aria-hidden="true">
      <div className="span-bar" style={{ insetInlineStart: percent(left), inlineSize: percent(right - left) }} />
      {pieces.map(({ fromNs, toNs }) => (
        <div
          key={fromNs}
          className="span-path"
          style={{ insetInlineStart: percent(at(fromNs)), inlineSize: percent(at(toNs) - at(fromNs)) }}
        />
      ))}
      {span.events
        .filter(({ atNs }) => atNs >= window.fromNs && atNs <= window.toNs)
        .map(({ atNs, name }, i) => (
          <div key={i} className="span-event" title={name} style={{ insetInlineStart: percent(at(atNs)) }} />
        ))}
      <span className="span-length nums" style={labelPlace(left, right)} data-side={sideOf(left, right)}>
        {formatSpanNs(span.toNs - span.fromNs)}
      </span>
    </div>
  )
}

function percent(share: number): string {
  return `${(share * 100).toFixed(3)}%`
}

/** Where there is room for the length: right of the bar, left of it, or inside a bar that leaves none. */
function sideOf(left: number, right: number): 'right' | 'left' | 'inside' {
  if (right <= LABEL_RIGHT_UNTIL) return 'right'
  return left >= 1 - LABEL_RIGHT_UNTIL ? 'left' : 'inside'
}

function labelPlace(left: number, right: number): CSSProperties {
  const side = sideOf(left, right)
  if (side === 'left') return { insetInlineEnd: percent(1 - left) }
  return { insetInlineStart: percent(side === 'right' ? right : left) }
}
