import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { formatDifferenceNs } from '../../lib/format-span.ts'
import { countOf } from '../../lib/format-number.ts'
import { largestDiffs } from '../../lib/trace-diff.ts'
import type { SpanDiff } from '../../lib/trace-diff.ts'
import { classNames } from '../../ui/class-names.ts'
import styles from './diff-bars.module.css'

interface DiffBarsProps {
  readonly rows: readonly SpanDiff[]
  readonly differenceNs: number
  /** The span in its own trace; `undefined`: the row is of no span. */
  readonly hrefOf: (row: SpanDiff) => string | undefined
}

/** The rest of many is told as one; the table has them all. */
const BARS_MAX = 15

/** What added to the difference to the right, what saved to the left. */
export function DiffBars({ rows, differenceNs, hrefOf }: DiffBarsProps): ReactNode {
  const { shown, restNs } = largestDiffs(rows, BARS_MAX)
  const onPath = rows.filter(({ pathDifferenceNs }) => pathDifferenceNs !== 0).length
  const mostNs = Math.max(
    1,
    Math.abs(restNs),
    Math.abs(differenceNs),
    ...shown.map((row) => Math.abs(row.pathDifferenceNs)),
  )
  return (
    <table className={`data-table ${styles.root}`} aria-label="Largest differences">
      <thead>
        <tr>
          <th scope="col">Span</th>
          <th scope="col" className={styles.column}>
            <span className={styles.sides}>
              <span>shorter here</span>
              <span>longer here</span>
            </span>
          </th>
          <th scope="col" className="cell-number">
            Difference
          </th>
        </tr>
      </thead>
      <tbody>
        {shown.map((row) => (
          <tr key={row.key}>
            <th scope="row">
              <DiffName row={row} href={hrefOf(row)} />
            </th>
            <DiffBar ns={row.pathDifferenceNs} mostNs={mostNs} />
          </tr>
        ))}
        {onPath > shown.length ? (
          <tr>
            <th scope="row">{countOf(onPath - shown.length, 'other span')} together</th>
            <DiffBar ns={restNs} mostNs={mostNs} />
          </tr>
        ) : null}
        <tr className={styles.whole}>
          <th scope="row">The whole</th>
          <DiffBar ns={differenceNs} mostNs={mostNs} />
        </tr>
      </tbody>
    </table>
  )
}

function DiffBar({ ns, mostNs }: { readonly ns: number; readonly mostNs: number }): ReactNode {
  const size = `${(50 * Math.abs(ns)) / mostNs}%`
  return (
    <>
      <td className={styles.column}>
        <div className={styles.lane} aria-hidden="true">
          <span
            className={classNames(styles.bar, ns < 0 && styles.isShorter)}
            style={{ inlineSize: size, ...(ns < 0 ? { insetInlineEnd: '50%' } : { insetInlineStart: '50%' }) }}
          />
        </div>
      </td>
      <td className="cell-number nums">{formatDifferenceNs(ns)}</td>
    </>
  )
}

/** Its words, of which span above, and where it is. */
export function DiffName({ row, href }: { readonly row: SpanDiff; readonly href: string | undefined }): ReactNode {
  const { text, below, occurrence, here, there } = row
  const name = occurrence === 1 ? text : `${text} (${occurrence})`
  return (
    <>
      {href === undefined ? (
        name
      ) : (
        <Link href={href} data-row="">
          {name}
        </Link>
      )}
      {below === '' ? null : <span className="own-labels">below {below}</span>}
      {here === undefined && there !== undefined ? <span className="own-labels">only in the other one</span> : null}
      {there === undefined && here !== undefined ? <span className="own-labels">only in this one</span> : null}
    </>
  )
}
