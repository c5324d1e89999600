import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { durationScale } from '../../lib/duration-scatter.ts'
import { formatSpanNs } from '../../lib/format-time.ts'
import { criticalPath, pathNsBySpan } from '../../lib/critical-path.ts'
import { tracePath } from '../../lib/paths.ts'
import { countOf, formatCount } from '../../lib/format-number.ts'
import { tracedUpgrade, traceTitle } from '../../lib/trace-phases.ts'
import { COMPARED_TRACES } from '../../lib/trace-search.ts'
import type { Trace } from '../../lib/trace.ts'
import { DataTable, type Column } from '../../ui/data-table.tsx'
import { selectColumn } from '../../ui/select-column.tsx'
import { Shape } from '../../ui/shapes.tsx'
import { Since, Moment } from '../../ui/time.tsx'
import { Button } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { LongestOnPath, TakenTime } from './trace-head.tsx'
import styles from './trace-list.module.css'

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
    fullReason: compared.length >= COMPARED_TRACES ? 'Two traces are compared' : undefined,
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
  { head: 'Started', isOneLine: true, cell: ({ startMs }) => <Since atMs={startMs} suffix=" ago" /> },
  {
    head: 'Duration',
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
    head: 'Longest span',
    isHiddenOnPhone: true,
    cell: (trace) => <LongestOnPath trace={trace} pathNs={pathNsBySpan(criticalPath(trace))} />,
  },
]

function errorsOf({ spans }: Trace): number {
  return spans.filter(({ isError }) => isError).length
}

interface TraceSelectionProps {
  /** Ids, as they were chosen. */
  readonly compared: readonly string[]
  readonly onClear: () => void
}

/** Actions on the selected traces: the first one is shown, compared with the second. */
export function TraceSelection({ compared, onClear }: TraceSelectionProps): ReactNode {
  const [here, there] = compared
  if (here === undefined) return null
  return (
    <div className="row raised selection-bar" role="group" aria-label="Selected traces">
      <strong className="nums">{countOf(compared.length, 'trace')} selected</strong>
      {there === undefined ? (
        <span className="quiet">select another trace to compare</span>
      ) : (
        <Link href={tracePath(here, { than: there })}>Compare</Link>
      )}
      <Button variant="link" size="sm" onClick={onClear}>
        Clear
      </Button>
    </div>
  )
}

interface TraceScatterProps {
  readonly traces: readonly Trace[]
  readonly fromMs: number
  readonly toMs: number
}

/** Traces by start and duration, on a logarithmic scale; the table below has the same data. */
export function TraceScatter({ traces, fromMs, toMs }: TraceScatterProps): ReactNode {
  const { shortestNs, longestNs, shareOf } = durationScale(traces.map(({ durationNs }) => durationNs))
  const failed = traces.filter(hasError).length
  const says = `${countOf(traces.length, 'trace')} by start and duration, ${formatCount(failed)} with errors (squares)`
  return (
    <figure className={styles.scatter}>
      <div className={`box keeps-color ${styles.area}`}>
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

function hasError({ spans }: Trace): boolean {
  return spans.some(({ isError }) => isError)
}

function percent(share: number): string {
  return `${(Math.min(1, Math.max(0, share)) * 100).toFixed(2)}%`
}
