import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { durationScale } from '../../lib/duration-scatter.ts'
import { tracePath } from '../../lib/paths.ts'
import { countOf, formatCount } from '../../lib/format-number.ts'
import { formatSpanNs } from '../../lib/format-time.ts'
import { traceTitle } from '../../lib/trace-phases.ts'
import type { Trace } from '../../lib/trace.ts'
import { Moment } from '../../ui/time.tsx'
import { classNames } from '../../ui/class-names.ts'
import styles from './trace-scatter.module.css'

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
    <figure className={styles.root}>
      <div className={styles.area}>
        <div className={styles.dots}>
          {traces.map((trace) => {
            const x = (trace.startMs - fromMs) / Math.max(1, toMs - fromMs)
            return (
              <Link
                key={trace.traceId}
                href={tracePath(trace.traceId)}
                tabIndex={-1}
                aria-hidden="true"
                className={classNames(styles.dot, hasError(trace) && styles.isError)}
                title={`${traceTitle(trace)}, ${formatSpanNs(trace.durationNs)}${hasError(trace) ? ', with errors' : ''}`}
                style={{ insetInlineStart: percent(x), insetBlockEnd: percent(shareOf(trace.durationNs)) }}
              />
            )
          })}
        </div>
        <span className={`nums quiet text-tiny ${styles.longest}`}>{formatSpanNs(longestNs)}</span>
        <span className={`nums quiet text-tiny ${styles.shortest}`}>{formatSpanNs(shortestNs)}</span>
      </div>
      <figcaption className="row row-apart quiet text-tiny">
        <Moment atMs={fromMs} />
        <span className={styles.caption}>{says}</span>
        <Moment atMs={toMs} />
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
