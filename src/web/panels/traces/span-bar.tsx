import type { CSSProperties, ReactNode } from 'react'
import type { PathPiece } from '../../lib/critical-path.ts'
import { formatSpanNs } from '../../lib/format-time.ts'
import type { TraceSpan } from '../../lib/trace.ts'
import { classNames } from '../../ui/class-names.ts'
import styles from './span-bar.module.css'

/** The visible part of the trace. */
export interface TimeWindow {
  readonly fromNs: number
  readonly toNs: number
}

interface SpanBarProps {
  readonly span: TraceSpan
  /** Its own pieces of the critical path. */
  readonly pieces: readonly PathPiece[]
  readonly window: TimeWindow
  /** Below the line of time, whose ticks it repeats. */
  readonly isOnAxis?: boolean
}

/** A bar that ends before this share of the box has room for its length to the right. */
const LABEL_RIGHT_UNTIL = 0.82

/** One span on the line of time: a bar, its part of the critical path as a heavier line in it, its events as marks. */
export function SpanBar({ span, pieces, window, isOnAxis = false }: SpanBarProps): ReactNode {
  const widthNs = Math.max(1, window.toNs - window.fromNs)
  const at = (ns: number): number => Math.min(1, Math.max(0, (ns - window.fromNs) / widthNs))
  const [left, right] = [at(span.fromNs), at(span.toNs)]
  return (
    <div
      className={classNames(styles.root, isOnAxis && styles.onAxis, span.isError && styles.isError)}
      aria-hidden="true"
    >
      <div
        className={`piece ${styles.bar}`}
        style={{ insetInlineStart: percent(left), inlineSize: percent(right - left) }}
      />
      {pieces.map(({ fromNs, toNs }) => (
        <div
          key={fromNs}
          className={`piece ${styles.path}`}
          style={{ insetInlineStart: percent(at(fromNs)), inlineSize: percent(at(toNs) - at(fromNs)) }}
        />
      ))}
      {span.events
        .filter(({ atNs }) => atNs >= window.fromNs && atNs <= window.toNs)
        .map(({ atNs, name }, i) => (
          <div
            key={i}
            className={`piece ${styles.event}`}
            title={name}
            style={{ insetInlineStart: percent(at(atNs)) }}
          />
        ))}
      <span className={`nums no-wrap ${styles.length}`} style={labelPlace(left, right)} data-side={sideOf(left, right)}>
        {formatSpanNs(span.toNs - span.fromNs)}
      </span>
    </div>
  )
}

function percent(share: number): string {
  return `${(share * 100).toFixed(3)}%`
}

/** The side with room for the length: right of the bar, left of it, or else inside it. */
function sideOf(left: number, right: number): 'right' | 'left' | 'inside' {
  if (right <= LABEL_RIGHT_UNTIL) return 'right'
  return left >= 1 - LABEL_RIGHT_UNTIL ? 'left' : 'inside'
}

function labelPlace(left: number, right: number): CSSProperties {
  const side = sideOf(left, right)
  if (side === 'left') return { insetInlineEnd: percent(1 - left) }
  return { insetInlineStart: percent(side === 'right' ? right : left) }
}
