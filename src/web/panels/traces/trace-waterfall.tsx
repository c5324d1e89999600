import { useMemo } from 'react'
import type { CSSProperties, ReactNode } from 'react'
import { Link } from 'wouter'
import type { PathPiece } from '../../lib/critical-path.ts'
import { formatSpanNs } from '../../lib/format-span.ts'
import { countOf } from '../../lib/format-number.ts'
import { spanWords } from '../../lib/trace-phases.ts'
import type { Trace, TraceSpan } from '../../lib/trace.ts'
import { Shape } from '../../ui/shapes.tsx'
import { VirtualRow } from '../../ui/virtual-row.tsx'
import type { RowPlace } from '../../ui/virtual-row.tsx'
import { VirtualTable } from '../../ui/virtual-table.tsx'
import { SpanBar } from './span-bar.tsx'
import type { TimeWindow } from './span-bar.tsx'
import { classNames } from '../../ui/class-names.ts'
import tableStyles from './span-table.module.css'
import styles from './trace-waterfall.module.css'

export interface WaterfallProps {
  readonly trace: Trace
  readonly path: readonly PathPiece[]
  /** Places of the spans that have a row. */
  readonly shown: readonly number[]
  readonly window: TimeWindow
  readonly openSpan: string
  readonly closed: ReadonlySet<string>
  /** Places of the spans that were searched for. */
  readonly found: ReadonlySet<number>
  readonly hrefOf: (span: TraceSpan) => string
  readonly onToggle: (span: TraceSpan) => void
}

const TICKS = [0, 0.25, 0.5, 0.75] as const

/** Spans as rows on a line of time, parents above their children; only the rows in view are drawn. */
export function TraceWaterfall(props: WaterfallProps): ReactNode {
  const { trace, path, shown, window, openSpan } = props
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
  return (
    <VirtualTable
      label="Spans"
      className={tableStyles.root}
      loaded={shown.length}
      total={shown.length}
      onNeedMore={nothingMore}
      hasTraceKeys
      {...(openRow < 0 ? {} : { shown: openRow })}
      head={
        <>
          <th scope="col" className={tableStyles.span}>
            Span
          </th>
          <th scope="col" className="cell-beside">
            <span className="visually-hidden">Line of time</span>
            <TimeAxis window={window} />
          </th>
        </>
      }
      renderRow={(index, place) => {
        const at = shown[index]!
        return <SpanRow key={at} {...props} at={at} place={place} pieces={pieces.get(at) ?? []} />
      }}
    />
  )
}

/** Steps to the right: fewer the deeper the span is, and at most 8, because names must stay readable. */
function indentOf(depth: number): number {
  return depth <= 6 ? depth : Math.min(8, 3 + Math.floor(depth / 2))
}

function nothingMore(): void {
  // A trace is there whole.
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

interface SpanRowProps extends WaterfallProps {
  readonly at: number
  readonly place: RowPlace
  readonly pieces: readonly PathPiece[]
}

function SpanRow(props: SpanRowProps): ReactNode {
  const { trace, at, place, pieces, window, openSpan, closed, found, hrefOf, onToggle } = props
  const span = trace.spans[at]!
  const isClosed = closed.has(span.spanId)
  const isOpen = span.spanId === openSpan
  return (
    <VirtualRow {...place} className={classNames(isOpen && 'is-chosen', found.has(at) && styles.found)}>
      <td className={`cell-name ${tableStyles.span}`}>
        <span className={styles.name} style={{ '--indent': indentOf(span.depth) } as CSSProperties}>
          <ToggleChildren span={span} isClosed={isClosed} onToggle={onToggle} />
          <Link className="one-line" href={hrefOf(span)} replace data-row="" data-span={span.spanId} title={span.name}>
            {spanWords(span)}
          </Link>
          {span.isError ? (
            <span className={`tone-critical text-tiny ${styles.error}`}>
              <Shape name="cross" />
              error
            </span>
          ) : null}
          <span className={`quiet text-tiny one-line ${styles.service}`}>{span.service}</span>
          <span className="visually-hidden">
            {` begins after ${formatSpanNs(span.fromNs)}, takes ${formatSpanNs(span.toNs - span.fromNs)}`}
            {span.events.length === 0 ? '' : `, ${countOf(span.events.length, 'event')}`}
            {pieces.length > 0 ? ', on the critical path' : ''}
          </span>
        </span>
        <span className="cell-below">
          <SpanBar span={span} pieces={pieces} window={window} />
        </span>
      </td>
      <td className="cell-beside">
        <SpanBar span={span} pieces={pieces} window={window} isOnAxis />
      </td>
    </VirtualRow>
  )
}

interface ToggleProps {
  readonly span: TraceSpan
  readonly isClosed: boolean
  readonly onToggle: (span: TraceSpan) => void
}

function ToggleChildren({ span, isClosed, onToggle }: ToggleProps): ReactNode {
  if (span.below === 0) return <span className={styles.toggle} />
  return (
    <button
      type="button"
      className={styles.toggle}
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
