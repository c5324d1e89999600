import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { PathPiece } from '../../lib/critical-path.ts'
import { formatShare } from '../../lib/format-number.ts'
import { formatSpanNs } from '../../lib/format-span.ts'
import type { PhaseLane } from '../../lib/trace-phases.ts'
import type { Trace, TraceSpan } from '../../lib/trace.ts'
import styles from './phase-lanes.module.css'
import barStyles from './span-bar.module.css'

interface PhaseLanesProps {
  readonly trace: Trace
  readonly lanes: readonly PhaseLane[]
  readonly path: readonly PathPiece[]
  readonly hrefOf: (span: TraceSpan) => string
}

/** The phases of an upgrade, a lane each: when it ran, how long, and how much of the whole it is answerable for. */
export function PhaseLanes({ trace, lanes, path, hrefOf }: PhaseLanesProps): ReactNode {
  const share = (ns: number): string => `${((100 * ns) / Math.max(1, trace.durationNs)).toFixed(3)}%`
  const piece = (fromNs: number, toNs: number): { insetInlineStart: string; inlineSize: string } => ({
    insetInlineStart: share(fromNs),
    inlineSize: share(toNs - fromNs),
  })
  return (
    <table className={`data-table ${styles.root}`} aria-label="Phases of the upgrade">
      <thead>
        <tr>
          <th scope="col">Phase</th>
          <th scope="col" className={`cell-beside ${styles.lane}`}>
            When it ran
          </th>
          <th scope="col" className="cell-number">
            Took
          </th>
          <th scope="col" className="cell-number">
            Of the critical path
          </th>
        </tr>
      </thead>
      <tbody>
        {lanes.map(({ text, places, ranNs, pathNs }) => {
          const spans = places.map((place) => trace.spans[place]!)
          const own = new Set(places)
          return (
            <tr key={text}>
              <th scope="row">
                <Link href={hrefOf(spans[0]!)} replace>
                  {text}
                </Link>
                {spans.some(({ isError }) => isError) ? <span className="tone-critical"> failed</span> : null}
              </th>
              <td className={`cell-beside ${styles.lane}`}>
                <div className={`${barStyles.root} ${barStyles.onAxis}`} aria-hidden="true">
                  {spans.map(({ spanId, fromNs, toNs }) => (
                    <div key={spanId} className={barStyles.bar} style={piece(fromNs, toNs)} />
                  ))}
                  {path
                    .filter(({ span }) => own.has(span))
                    .map(({ fromNs, toNs }) => (
                      <div key={fromNs} className={barStyles.path} style={piece(fromNs, toNs)} />
                    ))}
                </div>
              </td>
              <td className="cell-number nums">{formatSpanNs(ranNs)}</td>
              <td className="cell-number nums">
                {pathNs === 0 ? <span className="quiet">none</span> : formatShare(pathNs, trace.durationNs)}
              </td>
            </tr>
          )
        })}
      </tbody>
    </table>
  )
}
