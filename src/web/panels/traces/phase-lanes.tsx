import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { PathPiece } from '../../lib/critical-path.ts'
import { formatShare } from '../../lib/format-number.ts'
import { formatSpanNs } from '../../lib/format-time.ts'
import type { PhaseLane } from '../../lib/trace-phases.ts'
import type { Trace, TraceSpan } from '../../lib/trace.ts'
import { DataTable } from '../../ui/data-table.tsx'
import styles from './phase-lanes.module.css'
import barStyles from './span-bar.module.css'

interface PhaseLanesProps {
  readonly trace: Trace
  readonly lanes: readonly PhaseLane[]
  readonly path: readonly PathPiece[]
  readonly hrefOf: (span: TraceSpan) => string
}

/** The phases of an upgrade: when each ran, its duration, and its share of the critical path. */
export function PhaseLanes({ trace, lanes, path, hrefOf }: PhaseLanesProps): ReactNode {
  const spansOf = ({ places }: PhaseLane): readonly TraceSpan[] => places.map((place) => trace.spans[place]!)
  return (
    <DataTable
      label="Phases of the upgrade"
      className={styles.root}
      rows={lanes}
      rowKey={({ text }) => text}
      columns={[
        {
          head: 'Phase',
          kind: 'name',
          cell: (lane) => (
            <>
              <Link href={hrefOf(spansOf(lane)[0]!)} replace>
                {lane.text}
              </Link>
              {spansOf(lane).some(({ isError }) => isError) ? <span className="tone-critical"> failed</span> : null}
            </>
          ),
        },
        {
          head: 'Time',
          isHiddenOnPhone: true,
          style: { inlineSize: '55%' },
          cell: (lane) => <Lane lane={lane} spans={spansOf(lane)} path={path} durationNs={trace.durationNs} />,
        },
        { head: 'Duration', kind: 'number', cell: ({ ranNs }) => formatSpanNs(ranNs) },
        {
          head: 'On the critical path',
          kind: 'number',
          cell: ({ pathNs }) =>
            pathNs === 0 ? <span className="quiet">none</span> : formatShare(pathNs, trace.durationNs),
        },
      ]}
    />
  )
}

interface LaneProps extends Pick<PhaseLanesProps, 'path'> {
  readonly lane: PhaseLane
  readonly spans: readonly TraceSpan[]
  readonly durationNs: number
}

function Lane({ lane, spans, path, durationNs }: LaneProps): ReactNode {
  const own = new Set(lane.places)
  const share = (ns: number): string => `${((100 * ns) / Math.max(1, durationNs)).toFixed(3)}%`
  const piece = ({ fromNs, toNs }: Pick<PathPiece, 'fromNs' | 'toNs'>): object => ({
    insetInlineStart: share(fromNs),
    inlineSize: share(toNs - fromNs),
  })
  return (
    <div className={`${barStyles.root} ${barStyles.onAxis}`} aria-hidden="true">
      {spans.map((span) => (
        <div key={span.spanId} className={`piece ${barStyles.bar}`} style={piece(span)} />
      ))}
      {path
        .filter(({ span }) => own.has(span))
        .map((part) => (
          <div key={part.fromNs} className={`piece ${barStyles.path}`} style={piece(part)} />
        ))}
    </div>
  )
}
