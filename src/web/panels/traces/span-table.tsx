import { useMemo, type ReactNode } from 'react'
import { Link } from 'wouter'
import { formatCount } from '../../lib/format-number.ts'
import { formatDifferenceNs, formatSpanNs } from '../../lib/format-time.ts'
import { spanWords } from '../../lib/trace-phases.ts'
import type { Trace, TraceSpan } from '../../lib/trace.ts'
import type { Column } from '../../ui/data-table.tsx'
import { Shape } from '../../ui/shapes.tsx'
import { VirtualDataTable } from '../../ui/virtual-data-table.tsx'
import styles from './span-table.module.css'

export interface SpanTableProps {
  readonly trace: Trace
  /** Places of the spans that have a row. */
  readonly shown: readonly number[]
  /** Nanoseconds on the critical path, by the place of the span. */
  readonly pathNs: ReadonlyMap<number, number>
  readonly openSpan: string
  readonly hrefOf: (span: TraceSpan) => string
}

/** The spans of a trace as words and numbers. */
export function SpanTable({ trace, shown, pathNs, openSpan, hrefOf }: SpanTableProps): ReactNode {
  const columns = useMemo(() => columnsOf({ trace, pathNs, hrefOf }), [trace, pathNs, hrefOf])
  const openRow = openSpan === '' ? -1 : shown.findIndex((place) => trace.spans[place]?.spanId === openSpan)
  return (
    <VirtualDataTable
      label="Spans"
      className={styles.root}
      columns={columns}
      rows={shown}
      rowKey={(place) => place}
      rowClass={(place) => trace.spans[place]?.spanId === openSpan && 'is-chosen'}
      {...(openRow < 0 ? {} : { shown: openRow })}
    />
  )
}

/** Rows are places of spans. */
function columnsOf({
  trace,
  pathNs,
  hrefOf,
}: Pick<SpanTableProps, 'trace' | 'pathNs' | 'hrefOf'>): readonly Column<number>[] {
  const spanAt = (place: number): TraceSpan => trace.spans[place]!
  const figure = (head: string, cell: (span: TraceSpan, place: number) => ReactNode): Column<number> => ({
    id: head,
    head,
    isHiddenOnPhone: true,
    className: `nums ${styles.figure}`,
    cell: (place) => cell(spanAt(place), place),
  })
  const begins = ({ fromNs }: TraceSpan): string => formatDifferenceNs(fromNs)
  const takes = ({ fromNs, toNs }: TraceSpan): string => formatSpanNs(toNs - fromNs)
  return [
    {
      head: 'Span',
      kind: 'name',
      className: styles.span,
      cell: (place) => {
        const span = spanAt(place)
        const parent = trace.spans[span.parent]
        return (
          <>
            <Link href={hrefOf(span)} replace data-row="" data-span={span.spanId}>
              {spanWords(span)}
            </Link>
            {parent === undefined ? null : <span className="own-labels">below {spanWords(parent)}</span>}
          </>
        )
      },
      below: (place) => (
        <>
          <span>{begins(spanAt(place))}</span>
          <span>{takes(spanAt(place))}</span>
          <Status span={spanAt(place)} />
        </>
      ),
    },
    { head: 'Service', isHiddenOnPhone: true, cell: (place) => spanAt(place).service },
    figure('Start', begins),
    figure('Duration', takes),
    figure('Critical path', (_span, place) => spanNsOrNone(pathNs.get(place) ?? 0)),
    figure('Events', ({ events }) => formatCount(events.length)),
    figure('Status', (span) => <Status span={span} />),
  ]
}

function spanNsOrNone(ns: number): ReactNode {
  return ns === 0 ? <span className="quiet">none</span> : formatSpanNs(ns)
}

function Status({ span: { isError, statusText } }: { readonly span: TraceSpan }): ReactNode {
  if (!isError) return <span>no error</span>
  return (
    <span className="tone-critical">
      <Shape name="cross" /> error{statusText === '' ? '' : `: ${statusText}`}
    </span>
  )
}
