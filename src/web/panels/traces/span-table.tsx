import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { formatCount } from '../../lib/format-number.ts'
import { formatDifferenceNs, formatSpanNs } from '../../lib/format-span.ts'
import { spanWords } from '../../lib/trace-phases.ts'
import type { Trace, TraceSpan } from '../../lib/trace.ts'
import { Shape } from '../../ui/shapes.tsx'
import { VirtualRow } from '../../ui/virtual-row.tsx'
import { VirtualTable } from '../../ui/virtual-table.tsx'
import { classNames } from '../../ui/class-names.ts'
import styles from './span-table.module.css'

interface SpanTableProps {
  readonly trace: Trace
  readonly shown: readonly number[]
  readonly pathNs: ReadonlyMap<number, number>
  readonly openSpan: string
  readonly hrefOf: (span: TraceSpan) => string
}

/** The same spans in words and numbers alone. */
export function SpanTable({ trace, shown, pathNs, openSpan, hrefOf }: SpanTableProps): ReactNode {
  const openRow = openSpan === '' ? -1 : shown.findIndex((place) => trace.spans[place]?.spanId === openSpan)
  return (
    <VirtualTable
      label="Spans"
      className={styles.root}
      loaded={shown.length}
      total={shown.length}
      onNeedMore={() => undefined}
      {...(openRow < 0 ? {} : { shown: openRow })}
      head={
        <>
          <th scope="col" className={styles.span}>
            Span
          </th>
          {['Service', 'Begins', 'Takes', 'Critical path', 'Events', 'Status'].map((title) => (
            <th key={title} scope="col" className={classNames('cell-beside', title !== 'Service' && styles.figure)}>
              {title}
            </th>
          ))}
        </>
      }
      renderRow={(index, place) => {
        const at = shown[index]!
        const span = trace.spans[at]!
        const parent = trace.spans[span.parent]
        const onPathNs = pathNs.get(at) ?? 0
        const status = span.isError ? <ErrorWords span={span} /> : 'no error'
        return (
          <VirtualRow key={at} {...place} className={span.spanId === openSpan ? 'is-chosen' : ''}>
            <td className={`cell-name ${styles.span}`}>
              <Link href={hrefOf(span)} replace data-row="" data-span={span.spanId}>
                {spanWords(span)}
              </Link>
              {parent === undefined ? null : <span className="own-labels">below {spanWords(parent)}</span>}
              <span className="cell-below nums">
                <span>{formatDifferenceNs(span.fromNs)}</span>
                <span>{formatSpanNs(span.toNs - span.fromNs)}</span>
                <span>{status}</span>
              </span>
            </td>
            <td className="cell-beside">{span.service}</td>
            <td className={`cell-beside nums ${styles.figure}`}>{formatDifferenceNs(span.fromNs)}</td>
            <td className={`cell-beside nums ${styles.figure}`}>{formatSpanNs(span.toNs - span.fromNs)}</td>
            <td className={`cell-beside nums ${styles.figure}`}>
              {onPathNs === 0 ? <span className="quiet">none</span> : formatSpanNs(onPathNs)}
            </td>
            <td className={`cell-beside nums ${styles.figure}`}>{formatCount(span.events.length)}</td>
            <td className={`cell-beside ${styles.figure}`}>{status}</td>
          </VirtualRow>
        )
      }}
    />
  )
}

function ErrorWords({ span }: { readonly span: TraceSpan }): ReactNode {
  return (
    <span className="tone-critical">
      <Shape name="cross" /> error{span.statusText === '' ? '' : `: ${span.statusText}`}
    </span>
  )
}
