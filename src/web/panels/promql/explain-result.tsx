import { useMemo, type CSSProperties, type ReactNode } from 'react'
import type { Explained } from '../../../contract/explain.ts'
import { formatUnit } from '../../lib/dashboards/format-unit.ts'
import { countOf, formatCount, formatShare } from '../../lib/format-number.ts'
import { explainRows, type ExplainRow } from '../../lib/promql/explain-rows.ts'
import type { TextSpan } from '../../ui/promql-editor-mark.ts'
import { PromqlText } from '../../ui/promql-text.tsx'
import styles from './explain-result.module.css'
import { DataTable, type Column } from '../../ui/data-table.tsx'

interface ExplainResultProps {
  readonly explained: Explained
  /** Shows a part in the text of the query. */
  readonly onMark: (span: TextSpan | undefined) => void
}

/** The explained query of the graph: each part with its reads, its result and its duration. */
export function ExplainResult({ explained, onMark }: ExplainResultProps): ReactNode {
  const { busyMs, waitedMs, steps, samplesRead, samplesMax, resultBytes, resultBytesMax } = explained
  const rows = useMemo(() => explainRows(explained), [explained])
  const show = (row: ExplainRow | undefined): void => {
    onMark(row === undefined ? undefined : { from: row.from, to: row.to })
  }
  const columns = columnsOf(show)
  return (
    <>
      <p className="space-below">
        {msText(busyMs)} of work for {countOf(steps, 'step')}
        {waitedMs >= 1 ? `, ${msText(waitedMs)} waited for other queries` : ''}.{' '}
        <Limit what="samples" used={samplesRead} most={samplesMax} write={formatCount} />{' '}
        <Limit what="of answer" used={resultBytes} most={resultBytesMax} write={bytesText} />
      </p>
      {explained.remote === undefined ? null : <RemotePart remote={explained.remote} />}
      <DataTable
        label="Parts of the query"
        look="prose"
        isScrollable
        className={styles.root}
        columns={columns}
        rows={rows}
        rowKey={({ key }) => key}
        onRowHover={show}
      />
      <p className="quiet">A bar is the time of a part with all below it; its dark piece is the part alone.</p>
    </>
  )
}

const WAYS = { pushed: 'Sent as it is', rewritten: 'Sent in another form', local: 'Evaluated here' } as const

/** How the query is divided between the metrics store and this server. */
function RemotePart({ remote }: { readonly remote: NonNullable<Explained['remote']> }): ReactNode {
  const { way, reason, store, text, notes } = remote
  return (
    <>
      <p className="space-below">
        <strong>{WAYS[way]}</strong>
        {store === undefined ? '' : ` (${store})`}: {reason}.
      </p>
      {text === undefined ? null : (
        <p className="space-below">
          <code>
            <PromqlText expr={text} />
          </code>
        </p>
      )}
      {notes.length === 0 ? null : (
        <ul>
          {notes.map((note) => (
            <li key={note}>{note}</li>
          ))}
        </ul>
      )}
    </>
  )
}

function columnsOf(show: (row: ExplainRow | undefined) => void): readonly Column<ExplainRow>[] {
  return [
    { head: 'Part', kind: 'name', cell: (row) => <Part row={row} show={show} /> },
    { head: 'Series', kind: 'number', cell: ({ series }) => countOrDash(series) },
    { head: 'Samples', kind: 'number', isHiddenOnPhone: true, cell: ({ samples }) => countOrDash(samples) },
    {
      head: 'Time, of all',
      className: styles.share,
      title: ({ totalMs, ownMs }) => `${msText(totalMs)} with all below it, ${msText(ownMs)} alone`,
      cell: ({ totalMs, totalShare, ownShare }) => (
        <>
          <span className={`keeps-color ${styles.bar}`} aria-hidden="true">
            <span style={{ inlineSize: `${100 * totalShare}%` }} />
            <span className={styles.own} style={{ inlineSize: `${100 * ownShare}%` }} />
          </span>
          <span className="nums">
            {formatShare(totalShare, 1)} <span className="quiet">{msText(totalMs)}</span>
          </span>
        </>
      ),
    },
    {
      head: 'Result sources',
      isHiddenOnPhone: true,
      className: styles.reads,
      cell: ({ reads, notes }) => <Answered reads={reads} notes={notes} />,
    },
  ]
}

function countOrDash(count: number | undefined): string {
  return count === undefined ? '–' : formatCount(count)
}

interface PartProps {
  readonly row: ExplainRow
  readonly show: (row: ExplainRow | undefined) => void
}

function Part({ row, show }: PartProps): ReactNode {
  const { depth, text, samples, reads, notes } = row
  const showRow = (): void => {
    show(row)
  }
  return (
    <div className={styles.indented} style={{ '--depth': depth } as CSSProperties}>
      <button
        type="button"
        className="plain-button mono text-small"
        title="Show it in the query"
        onFocus={showRow}
        onBlur={() => {
          show(undefined)
        }}
        onClick={showRow}
      >
        <PromqlText expr={text} />
      </button>
      <div className={`cell-below cell-below-block ${styles.reads}`}>
        {samples === undefined ? null : <span>{countOf(samples, 'sample')}</span>}
        <Answered reads={reads} notes={notes} />
      </div>
    </div>
  )
}

/** The sources that a part was read from, and other reasons for its duration. */
function Answered({ reads, notes }: Pick<ExplainRow, 'reads' | 'notes'>): ReactNode {
  return (
    <>
      {reads.map((read, i) => (
        <span key={i}>{read}</span>
      ))}
      {notes.map((note) => (
        <span key={note} className="quiet">
          {note}
        </span>
      ))}
    </>
  )
}

interface LimitProps {
  readonly what: string
  readonly used: number
  readonly most: number
  readonly write: (value: number) => string
}

/** From this share on, the limit is mentioned. */
const NEAR = 0.5

function Limit({ what, used, most, write }: LimitProps): ReactNode {
  const isNear = most > 0 && used / most >= NEAR
  return (
    <span className={isNear ? 'tone-warning text-strong' : 'quiet'}>
      {write(used)} {what}, {formatShare(used, most)} of the query limit
      {isNear ? ': near the limit' : ''}.
    </span>
  )
}

function msText(ms: number): string {
  return formatUnit(ms, { unit: 'milliseconds' }, PLAIN)
}

function bytesText(bytes: number): string {
  return formatUnit(bytes, { unit: 'bytes' }, PLAIN)
}

const PLAIN = { zone: 'utc', nowMs: 0 } as const
