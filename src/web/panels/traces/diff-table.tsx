import { useMemo, type ReactNode } from 'react'
import { formatDifferenceNs, formatSpanNs } from '../../lib/format-time.ts'
import type { SpanDiff } from '../../lib/trace-diff.ts'
import type { Column } from '../../ui/data-table.tsx'
import { VirtualDataTable } from '../../ui/virtual-data-table.tsx'
import { DiffName } from './diff-bars.tsx'
import tableStyles from './span-table.module.css'

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
  figure('This one', (row) => lengthOrNone(row, row.here, row.hereNs)),
  figure('The other', (row) => lengthOrNone(row, row.there, row.thereNs)),
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
