import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { formatDifferenceNs } from '../../lib/format-time.ts'
import { countOf } from '../../lib/format-number.ts'
import { largestDiffs, type SpanDiff } from '../../lib/trace-diff.ts'
import { classNames } from '../../ui/class-names.ts'
import styles from './diff-bars.module.css'
import { DataTable } from '../../ui/data-table.tsx'

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
  const others = onPath - shown.length
  const bars: readonly BarRow[] = [
    ...shown.map((row) => ({
      key: row.key,
      name: <DiffName row={row} href={hrefOf(row)} />,
      ns: row.pathDifferenceNs,
    })),
    ...(others > 0 ? [{ key: 'others', name: `${countOf(others, 'other span')} together`, ns: restNs }] : []),
    { key: 'whole', name: 'The whole', ns: differenceNs },
  ]
  return (
    <DataTable
      label="Largest differences"
      className={styles.root}
      rows={bars}
      rowKey={({ key }) => key}
      rowClass={({ key }) => key === 'whole' && styles.whole}
      columns={[
        { head: 'Span', cell: ({ name }) => name },
        {
          id: 'bar',
          style: { inlineSize: '45%' },
          head: (
            <span className={styles.sides}>
              <span>shorter here</span>
              <span>longer here</span>
            </span>
          ),
          cell: ({ ns }) => <DiffBar ns={ns} mostNs={mostNs} />,
        },
        { head: 'Difference', kind: 'number', cell: ({ ns }) => formatDifferenceNs(ns) },
      ]}
    />
  )
}

interface BarRow {
  readonly key: string | number
  readonly name: ReactNode
  readonly ns: number
}

function DiffBar({ ns, mostNs }: { readonly ns: number; readonly mostNs: number }): ReactNode {
  const size = `${(50 * Math.abs(ns)) / mostNs}%`
  return (
    <div className={styles.lane} aria-hidden="true">
      <span
        className={classNames(styles.bar, ns < 0 && styles.isShorter)}
        style={{ inlineSize: size, ...(ns < 0 ? { insetInlineEnd: '50%' } : { insetInlineStart: '50%' }) }}
      />
    </div>
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
