import type { ReactNode, Ref } from 'react'

/**
 * Where a row of a `VirtualTable` stands, and what measures it. Rows that are kept while they scroll (`memo`) take its parts
 * as their own: each stays the same as long as the row stays where it is.
 */
export interface RowPlace {
  readonly index: number
  /** Below the head of the table. */
  readonly topPx: number
  readonly measure: Ref<HTMLTableRowElement>
}

interface VirtualRowProps extends RowPlace {
  readonly className?: string | undefined
  readonly children: ReactNode
}

/**
 * A row that stands by itself: what comes, goes or grows elsewhere neither lays it out nor paints it anew. Its columns are
 * as wide as those of the head because its cells have the same classes; each cell with a width needs its column's.
 */
export function VirtualRow({ index, topPx, measure, className, children }: VirtualRowProps): ReactNode {
  return (
    <tr
      ref={measure}
      role="row"
      data-index={index}
      aria-rowindex={index + 2}
      className={className}
      style={{ insetBlockStart: `${topPx}px` }}
    >
      {children}
    </tr>
  )
}
