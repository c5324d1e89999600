import type { ReactNode } from 'react'
import { formatDifferenceNs, formatSpanNs } from '../../lib/format-span.ts'
import type { SpanDiff } from '../../lib/trace-diff.ts'
import { VirtualRow } from '../../ui/virtual-row.tsx'
import { VirtualTable } from '../../ui/virtual-table.tsx'
import { DiffName } from './diff-bars.tsx'
import tableStyles from './span-table.module.css'

interface DiffTableProps {
  readonly rows: readonly SpanDiff[]
  readonly hrefOf: (row: SpanDiff) => string | undefined
}

/** Every span of both traces. */
export function DiffTable({ rows, hrefOf }: DiffTableProps): ReactNode {
  return (
    <VirtualTable
      label="Spans of both"
      className={tableStyles.root}
      loaded={rows.length}
      total={rows.length}
      onNeedMore={() => undefined}
      head={
        <>
          <th scope="col" className={tableStyles.span}>
            Span
          </th>
          {['This one', 'The other', 'Difference'].map((title) => (
            <th key={title} scope="col" className={`cell-beside cell-number ${tableStyles.figure}`}>
              {title}
            </th>
          ))}
          <th scope="col" className={`cell-number ${tableStyles.figure}`}>
            On the critical path
          </th>
        </>
      }
      renderRow={(index, place) => {
        const row = rows[index]!
        const { key, here, there, hereNs, thereNs, pathDifferenceNs } = row
        const isBetween = here === undefined && there === undefined
        return (
          <VirtualRow key={key} {...place}>
            <td className={`cell-name ${tableStyles.span}`}>
              <DiffName row={row} href={hrefOf(row)} />
            </td>
            <td className={`cell-beside cell-number nums ${tableStyles.figure}`}>
              {here === undefined && !isBetween ? <span className="quiet">none</span> : formatSpanNs(hereNs)}
            </td>
            <td className={`cell-beside cell-number nums ${tableStyles.figure}`}>
              {there === undefined && !isBetween ? <span className="quiet">none</span> : formatSpanNs(thereNs)}
            </td>
            <td className={`cell-beside cell-number nums ${tableStyles.figure}`}>
              {hereNs === thereNs ? <span className="quiet">same</span> : formatDifferenceNs(hereNs - thereNs)}
            </td>
            <td className={`cell-number nums ${tableStyles.figure}`}>
              {pathDifferenceNs === 0 ? <span className="quiet">none</span> : formatDifferenceNs(pathDifferenceNs)}
            </td>
          </VirtualRow>
        )
      }}
    />
  )
}
