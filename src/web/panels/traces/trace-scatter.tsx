import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { durationScale } from '../../lib/duration-scale.ts'
import { tracePath } from '../../lib/explore-paths.ts'
import { countOf, formatCount } from '../../lib/format-number.ts'
import { formatSpanNs } from '../../lib/format-span.ts'
import { traceTitle } from '../../lib/trace-phases.ts'
import type { Trace } from '../../lib/trace.ts'
import { Moment } from '../../ui/time.tsx'

interface TraceScatterProps {
  readonly traces: readonly Trace[]
  readonly fromMs: number
  readonly toMs: number
}

/** Traces by when they began and how long they took, on a scale of powers; the table below says the same. */
export function TraceScatter({ traces, fromMs, toMs }: TraceScatterProps): ReactNode {
  const { shortestNs, longestNs, shareOf } = durationScale(traces.map(({ durationNs }) => durationNs))
  const failed = traces.filter(hasError).length
  const says = `${countOf(traces.length, 'trace')} by start and duration, ${formatCount(failed)} with errors (squares)`
  return (
    <figure className="trace-scatter">
      <div className="trace-scatter-area">
        <div className="trace-scatter-dots">
          {traces.map((trace) => {
            const x = (trace.startMs - fromMs) / Math.max(1, toMs - fromMs)
            return (
              <Link
                key={trace.traceId}
                href={tracePath(trace.traceId)}
                tabIndex={-1}
                aria-hidden="true"
                className={hasError(trace) ? 'trace-dot is-error' : 'trace-dot'}
                title={`${traceTitle(trace)}, ${formatSpanNs(trace.durationNs)}${hasError(trace) ? ', with errors' : ''}`}
                style={{ insetInlineStart: percent(x), insetBlockEnd: percent(shareOf(trace.durationNs)) }}
              />
            )
          })}
        </div>
        <span className="trace-scatter-most nums">{formatSpanNs(longestNs)}</span>
        <span className="trace-scatter-least nums">{formatSpanNs(shortestNs)}</span>
      </div>
      <figcaption className="quiet">
        <Moment atMs={fromMs} />
        <Moment atMs={toMs} />
        <span className="trace-scatter-says">{says}</span>
      </figcaption>
    </figure>
  )
}

export function hasError({ spans }: Trace): boolean {
  return spans.some(({ isError }) => isError)
}

function percent(share: number): string {
  return `${(Math.min(1, Math.max(0, share)) * 100).toFixed(2)}%`
}
