import { type ReactNode, useMemo } from 'react'
import { Link } from 'wouter'
import { formatDifferenceNs, formatSpanNs } from '../../lib/format-time.ts'
import { countOf } from '../../lib/format-number.ts'
import { largestDiffs, type SpanDiff } from '../../lib/trace-diff.ts'
import { classNames } from '../../ui/class-names.ts'
import { DataTable, type Column } from '../../ui/data-table.tsx'
import { VirtualDataTable } from '../../ui/virtual-data-table.tsx'
import styles from './span-diffs.module.css'
import tableStyles from './span-table.module.css'

interface DiffBarsProps {
  readonly rows: readonly SpanDiff[]
  readonly differenceNs: number
  /** The span in its own trace; `undefined`: the row is of no span. */
  readonly hrefOf: (row: SpanDiff) => string | undefined
}

/** Further bars are summed as one; the table has all of them. */
const BARS_MAX = 15

/** The spans with the largest differences: longer ones to the right, shorter ones to the left. */
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
    ...(others > 0 ? [{ key: 'others', name: `${countOf(others, 'other span')}, sum`, ns: restNs }] : []),
    { key: 'whole', name: 'Total', ns: differenceNs },
  ]
  return (
    <DataTable
      label="Largest differences"
      className={styles.bars}
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
              <span>shorter in this trace</span>
              <span>longer in this trace</span>
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
        className={classNames('piece', styles.bar, ns < 0 && styles.isShorter)}
        style={{ inlineSize: size, ...(ns < 0 ? { insetInlineEnd: '50%' } : { insetInlineStart: '50%' }) }}
      />
    </div>
  )
}

/** The name of a span, of its parent, and in which trace it is. */
function DiffName({ row, href }: { readonly row: SpanDiff; readonly href: string | undefined }): ReactNode {
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
      {here === undefined && there !== undefined ? <span className="own-labels">only in the other trace</span> : null}
      {there === undefined && here !== undefined ? <span className="own-labels">only in this trace</span> : null}
    </>
  )
}

interface DiffTableProps {
  readonly rows: readonly SpanDiff[]
  readonly hrefOf: (row: SpanDiff) => string | undefined
}

/** Every span of both traces. */
export function DiffTable({ rows, hrefOf }: DiffTableProps): ReactNode {
  const columns = useMemo(
    (): readonly Column<SpanDiff>[] => [
      {
        head: 'Span',
        kind: 'name',
        className: tableStyles.span,
        cell: (row) => <DiffName row={row} href={hrefOf(row)} />,
      },
      ...FIGURES,
    ],
    [hrefOf],
  )
  return (
    <VirtualDataTable
      label="Spans of both"
      className={tableStyles.root}
      columns={columns}
      rows={rows}
      rowKey={({ key }) => key}
    />
  )
}

const FIGURES: readonly Column<SpanDiff>[] = [
  figure('This trace', (row) => lengthOrNone(row, row.here, row.hereNs)),
  figure('Other trace', (row) => lengthOrNone(row, row.there, row.thereNs)),
  figure('Difference', ({ hereNs, thereNs }) =>
    hereNs === thereNs ? <span className="quiet">same</span> : formatDifferenceNs(hereNs - thereNs),
  ),
  {
    ...figure('On the critical path', ({ pathDifferenceNs: ns }) => (ns === 0 ? NONE : formatDifferenceNs(ns))),
    isHiddenOnPhone: false,
  },
]

const NONE = <span className="quiet">none</span>

function figure(head: string, cell: (row: SpanDiff) => ReactNode): Column<SpanDiff> {
  return { id: head, head, kind: 'number', isHiddenOnPhone: true, className: `nums ${tableStyles.figure}`, cell }
}

/** The length in one trace. A row of neither is the time between spans, which both have. */
function lengthOrNone({ here, there }: SpanDiff, place: number | undefined, ns: number): ReactNode {
  const isBetween = here === undefined && there === undefined
  return place === undefined && !isBetween ? NONE : formatSpanNs(ns)
}
