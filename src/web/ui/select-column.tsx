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
  /** A box in the head for all rows that are there. */
  readonly all?: {
    readonly name: string
    readonly chosen: 'none' | 'some' | 'all'
    readonly onChoose: (isChosen: boolean) => void
  }
}

/** The first column of a table whose rows can be chosen. */
export function selectColumn<Row>(selection: Selection<Row>): Column<Row> {
  const { verb, nameOf, isChosen, onChoose, fullReason, all } = selection
  return {
    id: 'select',
    className: 'cell-select',
    isHeadHidden: all === undefined,
    head:
      all === undefined ? (
        verb
      ) : (
        <label>
          <input
            type="checkbox"
            checked={all.chosen === 'all'}
            ref={(box) => {
              if (box !== null) box.indeterminate = all.chosen === 'some'
            }}
            onChange={(event) => {
              all.onChoose(event.target.checked)
            }}
          />
          <span className="visually-hidden">
            {verb} {all.name}
          </span>
        </label>
      ),
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
