import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { criticalPath, pathNsBySpan } from '../../lib/critical-path.ts'
import { tracePath } from '../../lib/explore-paths.ts'
import { countOf, formatCount } from '../../lib/format-number.ts'
import { tracedUpgrade, traceTitle } from '../../lib/trace-phases.ts'
import { COMPARED_TRACES } from '../../lib/trace-search.ts'
import type { Trace } from '../../lib/trace.ts'
import { Shape } from '../../ui/shapes.tsx'
import { Since } from '../../ui/time.tsx'
import { LongestOnPath, TakenTime } from './trace-head.tsx'
import tableStyles from './span-table.module.css'

interface TraceListProps {
  readonly traces: readonly Trace[]
  /** Ids of those that are to be compared. */
  readonly compared: readonly string[]
  readonly onCompare: (ids: readonly string[]) => void
}

/** Traces that were found, the newest first; two of them can be chosen to be compared. */
export function TraceList({ traces, compared, onCompare }: TraceListProps): ReactNode {
  const isFull = compared.length >= COMPARED_TRACES
  return (
    <table className={`data-table alert-table ${tableStyles.root}`} aria-label="Traces">
      <thead>
        <tr>
          <th scope="col" className="cell-select">
            <span className="visually-hidden">Compare</span>
          </th>
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
            <tr key={trace.traceId} className={compared.includes(trace.traceId) ? 'is-chosen' : ''}>
              <td className="cell-select">
                <CompareBox
                  trace={trace}
                  isChosen={compared.includes(trace.traceId)}
                  isFull={isFull}
                  onChange={(isChosen) => {
                    const others = compared.filter((id) => id !== trace.traceId)
                    onCompare(isChosen ? [...others, trace.traceId] : others)
                  }}
                />
              </td>
              <td className="cell-name">
                <Link href={tracePath(trace.traceId)}>{traceTitle(trace)}</Link>
                {errors === 0 ? null : <span className="cell-below tone-critical">{countOf(errors, 'error')}</span>}
              </td>
              <td className="cell-nowrap">
                <Since atMs={trace.startMs} suffix=" ago" />
              </td>
              <td className="cell-number nums">
                <TakenTime durationNs={trace.durationNs} isRunning={tracedUpgrade(trace)?.isProvisional === true} />
              </td>
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

interface CompareBoxProps {
  readonly trace: Trace
  readonly isChosen: boolean
  readonly isFull: boolean
  readonly onChange: (isChosen: boolean) => void
}

function CompareBox({ trace, isChosen, isFull, onChange }: CompareBoxProps): ReactNode {
  const isDisabled = isFull && !isChosen
  return (
    <label {...(isDisabled ? { title: 'Two are compared' } : {})}>
      <input
        type="checkbox"
        checked={isChosen}
        disabled={isDisabled}
        onChange={(event) => {
          onChange(event.target.checked)
        }}
      />
      <span className="visually-hidden">Compare {traceTitle(trace)}</span>
    </label>
  )
}
