import type { ReactNode } from 'react'
import { countOf, formatCount, formatShare } from '../../lib/format-number.ts'
import { shortDay } from '../../lib/day-ticks.ts'
import { useMoment } from '../../query/use-moment.ts'
import { Shape } from '../../ui/shapes.tsx'
import { Since } from '../../ui/time.tsx'
import styles from './basis-chip.module.css'

export interface Basis {
  readonly known: number
  /** Reporting clusters; absent: all known clusters count. */
  readonly telling?: number
  readonly to: string
  readonly updatedAt: string | null
  readonly missingDays: readonly string[]
  /** Of the numbers, as a citation has it. */
  readonly digest: string
}

/** The coverage and age of a number. Opens the details of the denominator. */
export function BasisChip({ basis, onOpen }: { readonly basis: Basis; readonly onOpen: () => void }): ReactNode {
  const { known, telling = known, to, updatedAt } = basis
  const isLive = useMoment() === undefined
  return (
    <button
      type="button"
      className={`chip ${styles.root}`}
      onClick={onOpen}
      title="Coverage of these numbers. Opens the details."
    >
      <Shape name={telling < known ? 'ring' : 'disc'} />
      <span className="nums">
        {known === 0 ? 'not counted' : null}
        {known > 0 && basis.telling === undefined ? countOf(known, 'cluster') : null}
        {known > 0 && basis.telling !== undefined ? (
          <>
            {formatCount(telling)} of {formatCount(known)} reporting{' '}
            <span className="visually-hidden">, {formatShare(telling, known)} coverage</span>
          </>
        ) : null}
        {' · '}
        {updatedAt === null || !isLive ? shortDay(to) : <Since atMs={Date.parse(updatedAt)} suffix=" ago" />}
      </span>
    </button>
  )
}
