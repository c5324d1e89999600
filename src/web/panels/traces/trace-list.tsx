import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { criticalPath, pathNsBySpan } from '../../lib/critical-path.ts'
import { tracePath } from '../../lib/paths.ts'
import { countOf, formatCount } from '../../lib/format-number.ts'
import { tracedUpgrade, traceTitle } from '../../lib/trace-phases.ts'
import { COMPARED_TRACES } from '../../lib/trace-search.ts'
import type { Trace } from '../../lib/trace.ts'
import { DataTable, type Column } from '../../ui/data-table.tsx'
import { selectColumn } from '../../ui/select-column.tsx'
import { Shape } from '../../ui/shapes.tsx'
import { Since } from '../../ui/time.tsx'
import { LongestOnPath, TakenTime } from './trace-head.tsx'

interface TraceListProps {
  readonly traces: readonly Trace[]
  /** Ids of the traces that are selected for comparison. */
  readonly compared: readonly string[]
  readonly onCompare: (ids: readonly string[]) => void
}

/** The traces that match, newest first; two of them can be compared. */
export function TraceList({ traces, compared, onCompare }: TraceListProps): ReactNode {
  const isCompared = ({ traceId }: Trace): boolean => compared.includes(traceId)
  const select = selectColumn<Trace>({
    verb: 'Compare',
    nameOf: traceTitle,
    isChosen: isCompared,
    onChoose: ({ traceId }, isChosen) => {
      const others = compared.filter((id) => id !== traceId)
      onCompare(isChosen ? [...others, traceId] : others)
    },
    fullReason: compared.length >= COMPARED_TRACES ? 'Two are compared' : undefined,
  })
  return (
    <DataTable
      label="Traces"
      look="boxed"
      columns={[select, ...COLUMNS]}
      rows={traces}
      rowKey={({ traceId }) => traceId}
      rowClass={(trace) => isCompared(trace) && 'is-chosen'}
    />
  )
}

const COLUMNS: readonly Column<Trace>[] = [
  {
    head: 'Trace',
    kind: 'name',
    cell: (trace) => <Link href={tracePath(trace.traceId)}>{traceTitle(trace)}</Link>,
    below: (trace) =>
      errorsOf(trace) === 0 ? null : <span className="tone-critical">{countOf(errorsOf(trace), 'error')}</span>,
  },
  { head: 'Began', isOneLine: true, cell: ({ startMs }) => <Since atMs={startMs} suffix=" ago" /> },
  {
    head: 'Takes',
    kind: 'number',
    cell: (trace) => (
      <TakenTime durationNs={trace.durationNs} isRunning={tracedUpgrade(trace)?.isProvisional === true} />
    ),
  },
  { head: 'Spans', isHiddenOnPhone: true, cell: ({ spans }) => formatCount(spans.length) },
  {
    head: 'Services',
    isHiddenOnPhone: true,
    cell: ({ spans }) => [...new Set(spans.map(({ service }) => service))].sort().join(', '),
  },
  {
    head: 'Errors',
    isHiddenOnPhone: true,
    cell: (trace) =>
      errorsOf(trace) === 0 ? (
        <span className="quiet">none</span>
      ) : (
        <span className="tone-critical">
          <Shape name="cross" /> {formatCount(errorsOf(trace))}
        </span>
      ),
  },
  {
    head: 'Most of its time',
    isHiddenOnPhone: true,
    cell: (trace) => <LongestOnPath trace={trace} pathNs={pathNsBySpan(criticalPath(trace))} />,
  },
]

function errorsOf({ spans }: Trace): number {
  return spans.filter(({ isError }) => isError).length
}
