import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { criticalPath, pathNsBySpan } from '../../lib/critical-path.ts'
import { tracePath } from '../../lib/explore-paths.ts'
import { countOf, formatCount } from '../../lib/format-number.ts'
import { formatSpanNs } from '../../lib/format-span.ts'
import { traceTitle } from '../../lib/trace-phases.ts'
import type { Trace } from '../../lib/trace.ts'
import { Shape } from '../../ui/shapes.tsx'
import { Since } from '../../ui/time.tsx'
import { LongestOnPath } from './trace-head.tsx'

/** Traces that were found, the newest first. */
export function TraceList({ traces }: { readonly traces: readonly Trace[] }): ReactNode {
  return (
    <table className="data-table alert-table trace-table" aria-label="Traces">
      <thead>
        <tr>
          <th scope="col">Trace</th>
          <th scope="col">Began</th>
          <th scope="col" className="cell-number">
            Takes
          </th>
          {['Spans', 'Services', 'Errors', 'Most of its time'].map((title) => (
            <th key={title} scope="col" className="cell-beside">
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {traces.map((trace) => {
          const errors = trace.spans.filter(({ isError }) => isError).length
          const services = [...new Set(trace.spans.map(({ service }) => service))].sort()
          return (
            <tr key={trace.traceId}>
              <td className="cell-name">
                <Link href={tracePath(trace.traceId)}>{traceTitle(trace)}</Link>
                {errors === 0 ? null : <span className="cell-below tone-critical">{countOf(errors, 'error')}</span>}
              </td>
              <td className="cell-nowrap">
                <Since atMs={trace.startMs} suffix=" ago" />
              </td>
              <td className="cell-number nums">{formatSpanNs(trace.durationNs)}</td>
              <td className="cell-beside nums">{formatCount(trace.spans.length)}</td>
              <td className="cell-beside">{services.join(', ')}</td>
              <td className="cell-beside">
                {errors === 0 ? (
                  <span className="quiet">none</span>
                ) : (
                  <span className="tone-critical">
                    <Shape name="cross" /> {formatCount(errors)}
                  </span>
                )}
              </td>
              <td className="cell-beside">
                <LongestOnPath trace={trace} pathNs={pathNsBySpan(criticalPath(trace))} />
              </td>
            </tr>
          )
        })}
      </tbody>
    </table>
  )
}
