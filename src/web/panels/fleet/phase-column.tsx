import type { Column } from '../../ui/data-table.tsx'
import { isSubPhase, phaseName, phaseWords } from '../../lib/fleet-names.ts'
import styles from './phase-column.module.css'

/** The first column of tables of phases: a phase within another one is indented. */
export function phaseColumn<Row>(phaseOf: (row: Row) => string): Column<Row> {
  return {
    head: 'Phase',
    kind: 'name',
    className: styles.name,
    title: (row) => phaseWords(phaseOf(row)),
    cell: (row) => <span className={isSubPhase(phaseOf(row)) ? styles.sub : undefined}>{phaseName(phaseOf(row))}</span>,
  }
}

const LANE_STYLE = { inlineSize: '40%', minInlineSize: '14rem', verticalAlign: 'middle' }

/** A column with a lane in each row; on a phone the numbers beside it say the same. */
export function laneColumn<Row>(column: Pick<Column<Row>, 'head' | 'cell'>): Column<Row> {
  return { id: 'lane', style: LANE_STYLE, isHiddenOnPhone: true, ...column }
}
