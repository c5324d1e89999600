import type { ReactNode } from 'react'
import type { Column } from './data-table.tsx'

interface Selection<Row> {
  /** What choosing a row does: `Select`, `Compare`. */
  readonly verb: string
  /** The row after the verb. */
  readonly nameOf: (row: Row) => string
  readonly isChosen: (row: Row) => boolean
  readonly onChoose: (row: Row, isChosen: boolean) => void
  /** Why no further row can be chosen; absent: one can. */
  readonly fullReason?: string | undefined
}

interface SelectBoxProps {
  readonly name: string
  readonly chosen: 'none' | 'some' | 'all'
  readonly onChoose: (isChosen: boolean) => void
}

/** A box that chooses a row, or all rows of a group or table. */
export function SelectBox({ name, chosen, onChoose }: SelectBoxProps): ReactNode {
  return (
    <label>
      <input
        type="checkbox"
        checked={chosen === 'all'}
        ref={(box) => {
          if (box !== null) box.indeterminate = chosen === 'some'
        }}
        onChange={(event) => {
          onChoose(event.target.checked)
        }}
      />
      <span className="visually-hidden">{name}</span>
    </label>
  )
}

/** The first column of a table whose rows can be chosen. */
export function selectColumn<Row>(selection: Selection<Row>): Column<Row> {
  const { verb, nameOf, isChosen, onChoose, fullReason } = selection
  return {
    id: 'select',
    className: 'cell-select',
    isHeadHidden: true,
    head: verb,
    cell: (row) => {
      const isDisabled = fullReason !== undefined && !isChosen(row)
      return (
        <label title={isDisabled ? fullReason : undefined}>
          <input
            type="checkbox"
            aria-label={`${verb} ${nameOf(row)}`}
            checked={isChosen(row)}
            disabled={isDisabled}
            onChange={(event) => {
              onChoose(row, event.target.checked)
            }}
          />
        </label>
      )
    },
  }
}
