import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { LogItem, LogItems } from '../../../contract/fleet-logs.ts'
import { tracePath, clusterPath } from '../../lib/paths.ts'
import { countOf } from '../../lib/format-number.ts'
import { bodyText, severityWord } from '../../lib/log-view.ts'
import { CodeBlock } from '../../ui/code-block.tsx'
import { Shape, type ShapeName } from '../../ui/shapes.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { LogTable, timeColumn, type LogTableProps } from './log-table.tsx'
import styles from './record-log.module.css'

interface RecordLogProps extends Pick<LogTableProps<LogItem>, 'hasOlder' | 'onNeedMore'> {
  readonly records: readonly LogItem[]
}

/** Log records received over OTLP. */
export function RecordLog({ records, ...paging }: RecordLogProps): ReactNode {
  return (
    <LogTable
      label="Log records"
      counted={countOf(records.length, 'record')}
      rows={records}
      rowKey={(_record, index) => index}
      columns={COLUMNS}
      {...paging}
      empty={
        <p className="empty quiet">
          No records in this range match these filters. Senders post records to <code>/v1/logs</code>; the states of
          Kubernetes objects among them are the object changes.
        </p>
      }
    />
  )
}

const COLUMNS: readonly Column<LogItem>[] = [
  timeColumn('Time', ({ time }) => time),
  { head: 'Severity', style: { inlineSize: '6rem' }, cell: (record) => <RecordSeverity record={record} /> },
  {
    head: 'Sent by',
    isHiddenOnPhone: true,
    style: { inlineSize: '14rem' },
    cell: ({ service, cluster }) => (
      <>
        {service === '' ? <span className="quiet">not reported</span> : service}
        {cluster === '' ? null : (
          <span className="own-labels">
            <Link href={clusterPath(cluster)}>{cluster}</Link>
          </span>
        )}
      </>
    ),
  },
  { head: 'Record', cell: (record) => <RecordText record={record} /> },
]

function RecordText({ record }: { readonly record: LogItem }): ReactNode {
  const { eventName, traceId, spanId } = record
  const text = JSON.stringify(record, null, 2)
  return (
    <details className={styles.record}>
      <summary data-row>
        {eventName === '' ? null : <strong>{eventName} </strong>}
        {bodyText(record)}
      </summary>
      {traceId === '' ? null : (
        <p className="touch-links">
          <Link href={tracePath(traceId, { span: spanId })}>Trace</Link>
        </p>
      )}
      <CodeBlock what="record" text={text}>
        {text}
      </CodeBlock>
    </details>
  )
}

const SHAPES: Readonly<Record<string, ShapeName>> = { fatal: 'cross', error: 'cross', warn: 'triangle' }
const ERROR_CLASS = 'tone-critical text-strong'
const CLASSES: Readonly<Record<string, string>> = {
  fatal: ERROR_CLASS,
  error: ERROR_CLASS,
  warn: 'tone-warning',
  info: '',
}

function RecordSeverity({ record: { severity, severityText } }: { readonly record: LogItem }): ReactNode {
  const word = severityWord(severity)
  const shape = SHAPES[word]
  return (
    <span className={CLASSES[word] ?? 'quiet'} title={severityText}>
      {shape === undefined ? null : <Shape name={shape} />} {word === '' ? severityText || 'not reported' : word}
    </span>
  )
}

/** Pages as one list; what ends one page begins the next. */
export function recordsOf(pages: readonly LogItems[]): readonly LogItem[] {
  const known = new Set<string>()
  return pages.flatMap(({ logs }, page) =>
    logs.filter((record) => {
      const key = JSON.stringify(record)
      // Equal records of one page are different records.
      const isKnown = page > 0 && known.has(key)
      known.add(key)
      return !isKnown
    }),
  )
}
