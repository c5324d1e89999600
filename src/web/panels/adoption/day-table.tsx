import type { ReactNode } from 'react'
import { shortDay } from '../../lib/day-ticks.ts'

interface DayTableProps {
  readonly label: string
  /** What a row is. */
  readonly head: string
  readonly days: readonly string[]
  readonly rows: readonly { readonly name: string; readonly cells: readonly string[] }[]
}

const COLUMNS_MAX = 8

/** Values by day as a table that can be read: some days of the range, the last among them. All days are in the CSV. */
export function DayTable({ label, head, days, rows }: DayTableProps): ReactNode {
  const every = Math.max(1, Math.ceil(days.length / COLUMNS_MAX))
  const shown = days.flatMap((_, day) => ((days.length - 1 - day) % every === 0 ? [day] : []))
  return (
    <>
      <div className="table-scroll" tabIndex={0} role="group" aria-label={label}>
        <table className="prose-table">
          <thead>
            <tr>
              <th scope="col">{head}</th>
              {shown.map((day) => (
                <th key={day} scope="col" className="cell-number" title={days[day]}>
                  {shortDay(days[day]!)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ name, cells }) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                {shown.map((day) => (
                  <td key={day} className="cell-number nums">
                    {cells[day]}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {every > 1 ? <p className="quiet">Every {every} days; Cite has all of them as CSV.</p> : null}
    </>
  )
}
