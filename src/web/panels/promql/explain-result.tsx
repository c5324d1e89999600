import type { CSSProperties, ReactNode } from 'react'
import type { Explained } from '../../../contract/explain.ts'
import { formatUnit } from '../../lib/dashboards/format-unit.ts'
import { countOf, formatCount, formatShare } from '../../lib/format-number.ts'
import { explainRows } from '../../lib/promql/explain-rows.ts'
import type { ExplainRow } from '../../lib/promql/explain-rows.ts'
import type { TextSpan } from '../../ui/promql-editor-mark.ts'
import { PromqlText } from '../../ui/promql-text.tsx'
import styles from './explain-result.module.css'

interface ExplainResultProps {
  readonly explained: Explained
  /** Shows a part in the text of the query. */
  readonly onMark: (span: TextSpan | undefined) => void
}

/** How the graph is answered: each part of the query with what it read, what came out and how long it took. */
export function ExplainResult({ explained, onMark }: ExplainResultProps): ReactNode {
  const { busyMs, waitedMs, steps, samplesRead, samplesMax, resultBytes, resultBytesMax } = explained
  return (
    <>
      <p className={styles.sum}>
        {msText(busyMs)} of work for {countOf(steps, 'step')}
        {waitedMs >= 1 ? `, ${msText(waitedMs)} waited for other queries` : ''}.{' '}
        <Limit what="samples" used={samplesRead} most={samplesMax} write={formatCount} />{' '}
        <Limit what="of answer" used={resultBytes} most={resultBytesMax} write={bytesText} />
      </p>
      <div className="table-scroll" tabIndex={0} role="group" aria-label="How it is answered">
        <table className={`prose-table ${styles.root}`} aria-label="Parts of the query">
          <thead>
            <tr>
              <th scope="col">Part</th>
              <th scope="col" className="cell-number">
                Series
              </th>
              <th scope="col" className="cell-number cell-beside">
                Samples
              </th>
              <th scope="col" className={styles.share}>
                Time, of all
              </th>
              <th scope="col" className="cell-beside">
                What answered
              </th>
            </tr>
          </thead>
          <tbody>
            {explainRows(explained).map((row) => (
              <Part key={row.key} row={row} onMark={onMark} />
            ))}
          </tbody>
        </table>
      </div>
      <p className="quiet">A bar is the time of a part with all below it; its dark piece is the part alone.</p>
    </>
  )
}

function Part({ row, onMark }: { readonly row: ExplainRow; readonly onMark: ExplainResultProps['onMark'] }): ReactNode {
  const { depth, text, from, to, series, samples, totalMs, ownMs, totalShare, ownShare, reads, notes } = row
  const show = (): void => {
    onMark({ from, to })
  }
  const hide = (): void => {
    onMark(undefined)
  }
  return (
    <tr onPointerEnter={show} onPointerLeave={hide}>
      <th scope="row" style={{ '--depth': depth } as CSSProperties}>
        <button
          type="button"
          className={styles.part}
          title="Show it in the query"
          onFocus={show}
          onBlur={hide}
          onClick={show}
        >
          <PromqlText expr={text} />
        </button>
        <div className={`cell-below cell-below-block ${styles.reads}`}>
          {samples === undefined ? null : <span>{countOf(samples, 'sample')}</span>}
          <Answered reads={reads} notes={notes} />
        </div>
      </th>
      <td className="cell-number nums">{series === undefined ? '–' : formatCount(series)}</td>
      <td className="cell-number nums cell-beside">{samples === undefined ? '–' : formatCount(samples)}</td>
      <td className={styles.share} title={`${msText(totalMs)} with all below it, ${msText(ownMs)} alone`}>
        <span className={styles.bar} aria-hidden="true">
          <span style={{ inlineSize: `${100 * totalShare}%` }} />
          <span className={styles.own} style={{ inlineSize: `${100 * ownShare}%` }} />
        </span>
        <span className="nums">
          {formatShare(totalShare, 1)} <span className="quiet">{msText(totalMs)}</span>
        </span>
      </td>
      <td className={`cell-beside ${styles.reads}`}>
        <Answered reads={reads} notes={notes} />
      </td>
    </tr>
  )
}

/** What a part was read from, and what else explains its time. */
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

/** From this share of a limit on it is worth a word. */
const NEAR = 0.5

function Limit({ what, used, most, write }: LimitProps): ReactNode {
  const isNear = most > 0 && used / most >= NEAR
  return (
    <span className={isNear ? styles.nearLimit : 'quiet'}>
      {write(used)} {what}, {formatShare(used, most)} of what a query may
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
