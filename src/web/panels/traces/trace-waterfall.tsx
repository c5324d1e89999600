import { useMemo, type CSSProperties, type ReactNode } from 'react'
import { Link } from 'wouter'
import type { PathPiece } from '../../lib/critical-path.ts'
import { formatSpanNs } from '../../lib/format-time.ts'
import { countOf } from '../../lib/format-number.ts'
import { spanWords } from '../../lib/trace-phases.ts'
import type { TraceSpan } from '../../lib/trace.ts'
import { Shape } from '../../ui/shapes.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { VirtualDataTable } from '../../ui/virtual-data-table.tsx'
import { classNames } from '../../ui/class-names.ts'
import { SpanBar, type TimeWindow } from './span-bar.tsx'
import type { SpanTableProps } from './span-table.tsx'
import tableStyles from './span-table.module.css'
import styles from './trace-waterfall.module.css'

interface WaterfallProps extends Omit<SpanTableProps, 'pathNs'> {
  readonly path: readonly PathPiece[]
  readonly window: TimeWindow
  readonly closed: ReadonlySet<string>
  /** Places of the spans that were searched for. */
  readonly found: ReadonlySet<number>
  readonly onToggle: (span: TraceSpan) => void
}

const TICKS = [0, 0.25, 0.5, 0.75] as const

/** Spans as rows on a line of time, parents above their children; only the rows in view are drawn. */
export function TraceWaterfall(props: WaterfallProps): ReactNode {
  const { trace, path, shown, window, openSpan, closed, found, hrefOf, onToggle } = props
  const pieces = useMemo(() => {
    const bySpan = new Map<number, PathPiece[]>()
    for (const piece of path) {
      const known = bySpan.get(piece.span)
      if (known === undefined) bySpan.set(piece.span, [piece])
      else known.push(piece)
    }
    return bySpan
  }, [path])
  const openRow = openSpan === '' ? -1 : shown.findIndex((place) => trace.spans[place]?.spanId === openSpan)
  const columns = useMemo((): readonly Column<number>[] => {
    const bar = (at: number, isOnAxis: boolean): ReactNode => (
      <SpanBar span={trace.spans[at]!} pieces={pieces.get(at) ?? []} window={window} isOnAxis={isOnAxis} />
    )
    return [
      {
        head: 'Span',
        kind: 'name',
        className: tableStyles.span,
        cell: (at) => (
          <SpanName
            span={trace.spans[at]!}
            isOnPath={pieces.has(at)}
            isClosed={closed.has(trace.spans[at]!.spanId)}
            {...{ hrefOf, onToggle }}
          />
        ),
        below: (at) => bar(at, false),
      },
      {
        id: 'lane',
        isHiddenOnPhone: true,
        head: (
          <>
            <span className="visually-hidden">Time axis</span>
            <TimeAxis window={window} />
          </>
        ),
        cell: (at) => bar(at, true),
      },
    ]
  }, [trace, pieces, window, closed, hrefOf, onToggle])
  return (
    <VirtualDataTable
      label="Spans"
      className={tableStyles.root}
      columns={columns}
      rows={shown}
      rowKey={(at) => at}
      rowClass={(at) => classNames(trace.spans[at]?.spanId === openSpan && 'is-chosen', found.has(at) && styles.found)}
      hasTraceKeys
      {...(openRow < 0 ? {} : { shown: openRow })}
    />
  )
}

/** Steps to the right: fewer the deeper the span is, and at most 8, because names must stay readable. */
function indentOf(depth: number): number {
  return depth <= 6 ? depth : Math.min(8, 3 + Math.floor(depth / 2))
}

function TimeAxis({ window }: { readonly window: TimeWindow }): ReactNode {
  const lengthNs = window.toNs - window.fromNs
  return (
    <span className={`nums ${styles.axis}`} aria-hidden="true">
      {TICKS.map((share) => (
        <span key={share}>
          {window.fromNs + share * lengthNs === 0 ? '0' : formatSpanNs(window.fromNs + share * lengthNs)}
        </span>
      ))}
      <span className={styles.axisEnd}>{formatSpanNs(window.toNs)}</span>
    </span>
  )
}

interface SpanNameProps extends Pick<WaterfallProps, 'hrefOf' | 'onToggle'> {
  readonly span: TraceSpan
  readonly isOnPath: boolean
  readonly isClosed: boolean
}

function SpanName({ span, isOnPath, isClosed, hrefOf, onToggle }: SpanNameProps): ReactNode {
  return (
    <span
      className={`row row-nowrap no-wrap ${styles.name}`}
      style={{ '--indent': indentOf(span.depth) } as CSSProperties}
    >
      <ToggleChildren span={span} isClosed={isClosed} onToggle={onToggle} />
      <Link className="one-line" href={hrefOf(span)} replace data-row="" data-span={span.spanId} title={span.name}>
        {spanWords(span)}
      </Link>
      {span.isError ? (
        <span className="tone-critical text-tiny inline-row rigid">
          <Shape name="cross" />
          error
        </span>
      ) : null}
      <span className={`quiet text-tiny one-line ${styles.service}`}>{span.service}</span>
      <span className="visually-hidden">
        {` starts after ${formatSpanNs(span.fromNs)}, duration ${formatSpanNs(span.toNs - span.fromNs)}`}
        {span.events.length === 0 ? '' : `, ${countOf(span.events.length, 'event')}`}
        {isOnPath ? ', on the critical path' : ''}
      </span>
    </span>
  )
}

function ToggleChildren({
  span,
  isClosed,
  onToggle,
}: Pick<SpanNameProps, 'span' | 'isClosed' | 'onToggle'>): ReactNode {
  if (span.below === 0) return <span className={styles.toggle} />
  return (
    <button
      type="button"
      className={`plain-button ${styles.toggle}`}
      aria-expanded={!isClosed}
      aria-label={`${countOf(span.below, 'span')} below ${spanWords(span)}`}
      onClick={() => {
        onToggle(span)
      }}
    >
      <span aria-hidden="true">{isClosed ? '▸' : '▾'}</span>
    </button>
  )
}
