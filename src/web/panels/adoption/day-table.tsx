import type { ReactNode } from 'react'
import { shortDay } from '../../lib/day-ticks.ts'
import { DataTable, type Column } from '../../ui/data-table.tsx'

interface DayRow {
  readonly name: string
  /** By day. */
  readonly cells: readonly string[]
}

interface DayTableProps {
  readonly label: string
  /** Head of the column of names. */
  readonly head: string
  readonly days: readonly string[]
  readonly rows: readonly DayRow[]
}

const COLUMNS_MAX = 8

/** Values by day in a readable number of columns, with the last day. The CSV of the citation has all days. */
export function DayTable({ label, head, days, rows }: DayTableProps): ReactNode {
  const every = Math.max(1, Math.ceil(days.length / COLUMNS_MAX))
  const columns = days.flatMap((day, i): Column<DayRow>[] =>
    (days.length - 1 - i) % every === 0
      ? [{ id: day, head: shortDay(day), headTitle: day, kind: 'number', cell: ({ cells }) => cells[i] }]
      : [],
  )
  return (
    <>
      <DataTable
        label={label}
        look="prose"
        isScrollable
        columns={[{ id: 'name', head, kind: 'name', cell: ({ name }) => name }, ...columns]}
        rows={rows}
        rowKey={({ name }) => name}
      />
      {every > 1 ? <p className="quiet">Every {every} days; Cite has all of them as CSV.</p> : null}
    </>
  )
}
